-- Members who ask to be let into an app that they cannot see. One who was declined is remembered, so that asking again
-- at once changes nothing.
CREATE TABLE access_request (
  space_id    int NOT NULL,
  app_id      int NOT NULL,
  member_id   hex_id NOT NULL,
  message     text NOT NULL DEFAULT '',
  created_at  moment NOT NULL DEFAULT now(),
  declined_at moment,
  PRIMARY KEY (space_id, app_id, member_id),
  FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id),
  FOREIGN KEY (space_id, member_id) REFERENCES space_member (space_id, id) ON DELETE CASCADE
);
CREATE INDEX access_request_of_member ON access_request (space_id, member_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON access_request TO imori_member;
ALTER TABLE access_request ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON access_request TO imori_member USING (space_id = current_setting('imori.space_id')::int);
