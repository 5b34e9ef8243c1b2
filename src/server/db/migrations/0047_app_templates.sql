-- Apps that were saved as templates of their space (docs/decisions/0057): one template for each app, in versions.
CREATE TABLE app_template (
  space_id     int NOT NULL REFERENCES space,
  id           hex_id NOT NULL,                -- of the template, in all of its versions
  version      int NOT NULL CHECK (version > 0),
  app_id       int NOT NULL,                   -- the app that it was saved from, which may be gone
  name         text NOT NULL,
  description  text NOT NULL,
  has_documents boolean NOT NULL,              -- whether documents were asked for
  parts        jsonb,                          -- app.json of its archive: all but documents and files; null: it is not saved yet
  counts       jsonb,                          -- how many documents it has, by model
  storage      text,                           -- where the files of its archive lie
  job_id       hex_id,                         -- what saves it
  created_at   moment NOT NULL DEFAULT now(),
  created_by   hex_id,
  CHECK (num_nulls(parts, counts, storage) IN (0, 3)),
  PRIMARY KEY (space_id, id, version),
  UNIQUE (space_id, app_id, version)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON app_template TO imori_member;
ALTER TABLE app_template ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON app_template TO imori_member USING (space_id = current_setting('imori.space_id')::int);
