-- Updates of apps that moved in say which models and fields are new there, and which files are others (docs/decisions/0074). Those from
-- before have none.
UPDATE move SET changes = changes || '{"additions": {"models": [], "parts": [], "customTypes": []}}' WHERE changes IS NOT NULL;

-- What an update has left of a file that is another one there. One that no update has touched is as it was brought as long as it has its
-- first version.
CREATE TABLE moved_asset (
  space_id    int NOT NULL,
  asset_id    hex_id NOT NULL,
  move_id     hex_id NOT NULL,
  hash        bytea NOT NULL,               -- sha256 of the file there
  version     int NOT NULL,                 -- its own here; a later one was written here
  archived_at moment NOT NULL,              -- of the archive that said so: an older one of another app says nothing new
  PRIMARY KEY (space_id, asset_id),
  FOREIGN KEY (space_id, move_id) REFERENCES move ON DELETE CASCADE
);
CREATE INDEX moved_asset_move ON moved_asset (space_id, move_id);

-- The files of an update that are others there, and what became of each.
CREATE TABLE move_file (
  space_id  int NOT NULL,
  move_id   hex_id NOT NULL,
  asset_id  hex_id NOT NULL,
  kind      text NOT NULL CHECK (kind IN ('changed', 'both')),
  takes     boolean NOT NULL,               -- the source's file
  version   int NOT NULL,                   -- here, when it was planned
  file_name text NOT NULL,
  outcome   text CHECK (outcome IN ('taken', 'kept', 'edited', 'refused')),
  problem   text,                           -- code of what refused it
  PRIMARY KEY (space_id, move_id, asset_id),
  FOREIGN KEY (space_id, move_id) REFERENCES move ON DELETE CASCADE,
  CHECK (coalesce(outcome = 'refused', false) = (problem IS NOT NULL))
);

GRANT SELECT, INSERT, UPDATE, DELETE ON moved_asset, move_file TO imori_member;
ALTER TABLE moved_asset ENABLE ROW LEVEL SECURITY;
ALTER TABLE move_file ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON moved_asset TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON move_file TO imori_member USING (space_id = current_setting('imori.space_id')::int);
