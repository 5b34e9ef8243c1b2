-- Whoever leaves an app and joins it again is given the role they had, so that a role given by an admin is not shaken off.
CREATE TABLE left_app (
  space_id  int NOT NULL,
  app_id    int NOT NULL,
  member_id hex_id NOT NULL,
  role      text NOT NULL,
  left_at   moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, app_id, member_id),
  FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id),
  FOREIGN KEY (space_id, member_id) REFERENCES space_member (space_id, id) ON DELETE CASCADE
);
CREATE INDEX ON left_app (space_id, member_id);
GRANT SELECT, INSERT, UPDATE ON left_app TO imori_member;
ALTER TABLE left_app ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON left_app TO imori_member USING (space_id = current_setting('imori.space_id')::int);
