-- Files that somebody was given an address for and that have become no asset yet: how many, and how large, is bounded.
CREATE TABLE open_upload (
  space_id   int NOT NULL REFERENCES space,
  id         text NOT NULL,                  -- of the asset to be
  account_id text,
  size       int NOT NULL,
  expires_at moment NOT NULL,
  PRIMARY KEY (space_id, id)
);
GRANT SELECT, INSERT, DELETE ON open_upload TO imori_member;
ALTER TABLE open_upload ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON open_upload TO imori_member USING (space_id = current_setting('imori.space_id')::int);
