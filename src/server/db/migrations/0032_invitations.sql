-- Invitations into a space, and with it into one of its apps: to an address by mail, or to whoever has the link. Of the
-- code only the hash is kept. They are good for what who made them may still give, so they go with that member.
CREATE TABLE invitation (
  space_id     int NOT NULL REFERENCES space,
  id           hex_id NOT NULL,
  code_hash    bytea NOT NULL UNIQUE,
  email        text,                       -- null: a link
  email_key    text,
  role         text NOT NULL,
  app_id       int,
  app_role     text,
  use_sso      boolean NOT NULL DEFAULT false,
  maximum_uses int CHECK (maximum_uses > 0),  -- null: as many as come in time
  uses         int NOT NULL DEFAULT 0,
  member_id    hex_id NOT NULL,            -- who made it or sent it again last
  created_at   moment NOT NULL DEFAULT now(),
  sent_at      moment NOT NULL DEFAULT now(),
  expires_at   moment NOT NULL,
  revoked_at   moment,
  PRIMARY KEY (space_id, id),
  CHECK ((email IS NULL) = (email_key IS NULL)),
  CHECK ((app_id IS NULL) = (app_role IS NULL)),
  CHECK (maximum_uses IS NULL OR uses <= maximum_uses),
  FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id),
  FOREIGN KEY (space_id, member_id) REFERENCES space_member (space_id, id) ON DELETE CASCADE
);
CREATE INDEX invitation_in_order ON invitation (space_id, created_at DESC, id) WHERE revoked_at IS NULL;
CREATE INDEX invitation_of_member ON invitation (space_id, member_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON invitation TO imori_member;
ALTER TABLE invitation ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invitation TO imori_member USING (space_id = current_setting('imori.space_id')::int);
