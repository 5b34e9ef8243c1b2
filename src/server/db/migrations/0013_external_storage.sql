-- Buckets where spaces keep their files themselves. The one with left_at NULL takes new files; others are left, and go
-- when nothing is in them any more. Rows of files name theirs by its id.
CREATE TABLE external_storage (
  space_id    int NOT NULL REFERENCES space,
  id          hex_id NOT NULL,
  endpoint    text NOT NULL,
  region      text NOT NULL,
  bucket      text NOT NULL,
  prefix      text NOT NULL,
  style       text NOT NULL CHECK (style IN ('path', 'host')),
  key_last4   text NOT NULL,
  credentials text NOT NULL,             -- {accessKeyId, secretAccessKey}, sealed by the keyring
  created_at  moment NOT NULL DEFAULT now(),
  created_by  hex_id,
  updated_at  moment NOT NULL DEFAULT now(),
  left_at     moment,
  PRIMARY KEY (space_id, id)
);
CREATE UNIQUE INDEX external_storage_present ON external_storage (space_id) WHERE left_at IS NULL;

GRANT SELECT, INSERT, UPDATE ON external_storage TO imori_member;
ALTER TABLE external_storage ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON external_storage TO imori_member USING (space_id = current_setting('imori.space_id')::int);
