-- Moving in from elsewhere (docs/decisions/0053): an archive that is uploaded, checked, planned and imported as an app.
CREATE TABLE move (
  space_id    int NOT NULL REFERENCES space,
  id          hex_id NOT NULL,
  state       text NOT NULL DEFAULT 'uploading'
    CHECK (state IN ('uploading', 'checking', 'refused', 'planned', 'importing', 'imported', 'accepted', 'undoing', 'undone')),
  file_name   text NOT NULL,
  file_size   bigint NOT NULL,
  plan        jsonb,                       -- with what people corrected
  problem     jsonb,                       -- why it was refused: code, and what is wrong with the archive
  app_id      int,                         -- the app that it made
  report      jsonb,                       -- what came of it
  job_id      hex_id,                      -- the last job that worked on it; where that failed, the move did
  created_at  moment NOT NULL DEFAULT now(),
  created_by  hex_id,
  started_at  moment,
  finished_at moment,
  PRIMARY KEY (space_id, id),
  CHECK ((state = 'refused') = (problem IS NOT NULL))
);

-- How far an import is with each model: written with its documents, so that a run that was cut off goes on from there.
CREATE TABLE move_model (
  space_id  int NOT NULL,
  move_id   hex_id NOT NULL,
  model     text NOT NULL,                 -- uid in the archive
  model_id  int NOT NULL,
  done      int NOT NULL DEFAULT 0,        -- lines of its contents
  total     int NOT NULL,
  problems  jsonb NOT NULL DEFAULT '[]',   -- documents that are not as they were
  PRIMARY KEY (space_id, move_id, model),
  FOREIGN KEY (space_id, move_id) REFERENCES move ON DELETE CASCADE
);

-- What became of the archive's files.
CREATE TABLE move_asset (
  space_id  int NOT NULL,
  move_id   hex_id NOT NULL,
  asset_id  hex_id NOT NULL,
  made      boolean NOT NULL,              -- by this move: goes when it is undone
  problem   text,                          -- why there is none
  PRIMARY KEY (space_id, move_id, asset_id),
  FOREIGN KEY (space_id, move_id) REFERENCES move ON DELETE CASCADE,
  CHECK (NOT made OR problem IS NULL)
);

-- By what an asset was known where it came from: the addresses go on working.
CREATE TABLE asset_former_uid (
  space_id  int NOT NULL,
  uid       text NOT NULL CHECK (length(uid) <= 100),
  asset_id  hex_id NOT NULL,
  PRIMARY KEY (space_id, uid),
  FOREIGN KEY (space_id, asset_id) REFERENCES asset ON DELETE CASCADE
);
CREATE INDEX asset_former_uid_asset ON asset_former_uid (space_id, asset_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON move, move_model, move_asset TO imori_member;
GRANT SELECT ON asset_former_uid TO imori_member;
ALTER TABLE move ENABLE ROW LEVEL SECURITY;
ALTER TABLE move_model ENABLE ROW LEVEL SECURITY;
ALTER TABLE move_asset ENABLE ROW LEVEL SECURITY;
ALTER TABLE asset_former_uid ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON move TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON move_model TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON move_asset TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON asset_former_uid TO imori_member USING (space_id = current_setting('imori.space_id')::int);
