-- Apps that are written into files to be fetched (docs/decisions/0056). The files lie in the data folder until they expire.
CREATE TABLE app_export (
  space_id    int NOT NULL REFERENCES space,
  id          hex_id NOT NULL,
  app_id      int NOT NULL,
  options     jsonb NOT NULL,
  job_id      hex_id,                      -- the job that writes it; where that failed, the export did
  file_name   text NOT NULL,
  file_size   bigint,
  missing     int NOT NULL DEFAULT 0,      -- assets whose files were not to be had
  created_at  moment NOT NULL DEFAULT now(),
  created_by  hex_id,
  finished_at moment,
  expires_at  moment,
  PRIMARY KEY (space_id, id),
  CHECK ((file_size IS NULL) = (finished_at IS NULL) AND (finished_at IS NULL) = (expires_at IS NULL))
);
CREATE INDEX app_export_app ON app_export (space_id, app_id, created_at DESC);

GRANT SELECT, INSERT, UPDATE, DELETE ON app_export TO imori_member;
ALTER TABLE app_export ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON app_export TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- Where the archive of a move is fetched from; null: it is sent.
ALTER TABLE move ADD COLUMN import_url text;

-- What signs archives: made by the first that needs one. Only jobs use it.
CREATE TABLE archive_key (
  fingerprint text PRIMARY KEY,
  public_key  text NOT NULL,
  private_key text NOT NULL,               -- sealed
  created_at  moment NOT NULL DEFAULT now()
);
