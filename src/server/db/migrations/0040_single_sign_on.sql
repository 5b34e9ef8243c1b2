-- What a space's roles are by the groups of a directory, which tells of them when people sign in by SSO or are provisioned
-- (docs/decisions/0051). The first line that names a group somebody is in decides.
CREATE TABLE group_role (
  space_id int NOT NULL REFERENCES space,
  position int NOT NULL,
  name     text NOT NULL CHECK (name <> ''),  -- of the group, exactly as the directory sends it
  role     text NOT NULL,                     -- uid of a role of the space
  PRIMARY KEY (space_id, position),
  UNIQUE (space_id, name)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON group_role TO imori_member;
ALTER TABLE group_role ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON group_role TO imori_member USING (space_id = current_setting('imori.space_id')::int);

CREATE TABLE group_role_setting (
  space_id     int PRIMARY KEY REFERENCES space,
  default_role text NOT NULL,                 -- of who is new and in none of the groups
  version      int NOT NULL DEFAULT 1,
  updated_at   moment NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE ON group_role_setting TO imori_member;
ALTER TABLE group_role_setting ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON group_role_setting TO imori_member USING (space_id = current_setting('imori.space_id')::int);
