-- Of which template an app was made, so that it can follow newer versions (docs/decisions/0065).
CREATE TABLE app_origin (
  space_id   int NOT NULL,
  app_id     int NOT NULL,
  template   text NOT NULL,                 -- its _id: of a shipped one a word
  version    int,                           -- null: a shipped one
  language   text NOT NULL,                 -- in which a shipped one was named
  carry_id   hex_id NOT NULL,               -- from which the _ids of its sample contents follow
  parts      jsonb NOT NULL,                -- PortableApp of the version that it follows
  undo       jsonb,                         -- what takes the newest update back; null: there is none, or it was accepted
  updated_at moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, app_id),
  FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id) ON DELETE CASCADE
);
GRANT SELECT, INSERT, UPDATE, DELETE ON app_origin TO imori_member;
ALTER TABLE app_origin ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON app_origin TO imori_member USING (space_id = current_setting('imori.space_id')::int);
