-- Which role in an app comes with which group of the organization's directory: of each app, the first line that names a group
-- somebody is in decides. Lines go with their app.
CREATE TABLE group_app_role (
  space_id int NOT NULL REFERENCES space,
  app_id   int NOT NULL,
  position int NOT NULL,
  name     text NOT NULL CHECK (name <> ''),  -- of the group, exactly as the directory sends it
  role     text NOT NULL,                     -- uid of a role of the app
  PRIMARY KEY (space_id, app_id, position),
  UNIQUE (space_id, app_id, name),
  FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id) ON DELETE CASCADE
);
GRANT SELECT, INSERT, DELETE ON group_app_role TO imori_member;
ALTER TABLE group_app_role ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON group_app_role TO imori_member USING (space_id = current_setting('imori.space_id')::int);
