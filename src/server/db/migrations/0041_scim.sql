-- SCIM 2.0 (docs/decisions/0052): a directory makes and ends memberships of a space, with a token of its own.
CREATE TABLE scim_connection (
  space_id     int PRIMARY KEY REFERENCES space,
  id           hex_id NOT NULL,             -- of the token, for the audit log
  value_hash   bytea NOT NULL UNIQUE,
  last4        text NOT NULL,
  sends_mail   boolean NOT NULL,            -- are people who are new told by mail?
  created_by   hex_id,
  created_at   moment NOT NULL DEFAULT now(),
  renewed_at   moment,
  last_used_at moment
);

-- What the directory says of somebody. They are active while `member_id` is a member of the space.
CREATE TABLE scim_user (
  space_id      int NOT NULL REFERENCES space,
  id            hex_id NOT NULL,
  member_id     hex_id NOT NULL,
  account_id    hex_id REFERENCES account ON DELETE SET NULL,  -- whose membership the directory has ended
  user_name     text NOT NULL,
  user_name_key text NOT NULL,              -- lower(nfkc(user_name)): what must not repeat
  external_id   text,
  attributes    jsonb NOT NULL,             -- name, displayName, emails …: the directory's, in SCIM's words
  kept          jsonb,                      -- roles of a membership that the directory has ended: {role, apps: [[id, role]]}
  version       int NOT NULL DEFAULT 1,
  created_at    moment NOT NULL DEFAULT now(),
  updated_at    moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, id),
  UNIQUE (space_id, member_id),
  CONSTRAINT scim_user_name UNIQUE (space_id, user_name_key),
  CONSTRAINT scim_user_external UNIQUE (space_id, external_id)
);
CREATE INDEX ON scim_user (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE scim_group (
  space_id    int NOT NULL REFERENCES space,
  id          hex_id NOT NULL,
  name        text NOT NULL,
  name_key    text NOT NULL,
  external_id text,
  version     int NOT NULL DEFAULT 1,
  created_at  moment NOT NULL DEFAULT now(),
  updated_at  moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, id),
  CONSTRAINT scim_group_name UNIQUE (space_id, name_key)
);

CREATE TABLE scim_group_member (
  space_id int NOT NULL,
  group_id hex_id NOT NULL,
  user_id  hex_id NOT NULL,
  PRIMARY KEY (space_id, group_id, user_id),
  FOREIGN KEY (space_id, group_id) REFERENCES scim_group ON DELETE CASCADE,
  FOREIGN KEY (space_id, user_id) REFERENCES scim_user ON DELETE CASCADE
);
CREATE INDEX ON scim_group_member (space_id, user_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON scim_connection, scim_user, scim_group, scim_group_member TO imori_member;
ALTER TABLE scim_connection ENABLE ROW LEVEL SECURITY;
ALTER TABLE scim_user ENABLE ROW LEVEL SECURITY;
ALTER TABLE scim_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE scim_group_member ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON scim_connection TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON scim_user TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON scim_group TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON scim_group_member TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- Somebody whom a directory has named and who has not come yet is a member with an account that nobody can sign in to: it
-- has no password, and its address is not taken by it (`email_key` is none). It is there as long as that membership. So a
-- space sees the same of an address with and without an account elsewhere, and reaches none but those it made.
ALTER TABLE account
  ALTER COLUMN password_hash DROP NOT NULL,
  ADD COLUMN provisioned_by int REFERENCES space,
  ADD CONSTRAINT provisioned_has_no_key CHECK (provisioned_by IS NULL
    OR (password_hash IS NULL AND NOT is_admin AND email_key = 'provisioned:' || id));
GRANT SELECT (provisioned_by) ON account TO imori_member;

CREATE FUNCTION provision_account(new_id text, new_email text, new_name text, new_language text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO account (id, email, email_key, name, language, provisioned_by)
  VALUES (new_id, new_email, 'provisioned:' || new_id, new_name, new_language, current_setting('imori.space_id')::int)
$$;
CREATE FUNCTION change_provisioned_account(the_id text, new_email text, new_name text, new_language text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE account SET email = new_email, name = new_name, language = new_language
  WHERE id = the_id AND provisioned_by = current_setting('imori.space_id')::int
$$;
REVOKE EXECUTE ON FUNCTION provision_account, change_provisioned_account FROM PUBLIC;
GRANT EXECUTE ON FUNCTION provision_account, change_provisioned_account TO imori_member;

CREATE FUNCTION drop_provisioned_account() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM account WHERE id = OLD.account_id AND provisioned_by = OLD.space_id;
  RETURN NULL;
END $$;
CREATE TRIGGER drop_provisioned AFTER DELETE OR UPDATE OF account_id ON space_member
  FOR EACH ROW EXECUTE FUNCTION drop_provisioned_account();

-- The invitation to be the member that a directory has made.
ALTER TABLE invitation
  ADD COLUMN provisioned hex_id,
  ADD CONSTRAINT invitation_of_provisioned FOREIGN KEY (space_id, provisioned) REFERENCES space_member (space_id, id)
    ON DELETE CASCADE;
CREATE INDEX ON invitation (space_id, provisioned) WHERE provisioned IS NOT NULL;
