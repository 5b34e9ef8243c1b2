-- What changed in Newt since an archive was made follows into the app that was made of it (docs/decisions/0066): such an update is a
-- move of its own that names the one that it follows.
ALTER TABLE move
  ADD COLUMN updates hex_id,
  ADD COLUMN changes jsonb,                 -- of an update, in place of the plan: what changed, counted by model
  ADD FOREIGN KEY (space_id, updates) REFERENCES move ON DELETE CASCADE;
-- One update at a time.
CREATE UNIQUE INDEX move_open_update ON move (space_id, updates)
  WHERE updates IS NOT NULL AND state NOT IN ('refused', 'accepted');

-- What a move has left of each document that it brought: by this an update tells what was changed there from what was changed here.
-- Documents may be gone since.
CREATE TABLE moved_document (
  space_id     int NOT NULL,
  model_id     int NOT NULL,
  document_id  hex_id NOT NULL,
  move_id      hex_id NOT NULL,
  version      int NOT NULL,               -- its own here; a later one was written here
  updated_at   moment NOT NULL,            -- what the source said when the document was last brought, or looked at
  published_at moment,
  custom_order float8,
  PRIMARY KEY (space_id, model_id, document_id),
  FOREIGN KEY (space_id, move_id) REFERENCES move ON DELETE CASCADE
);
CREATE INDEX moved_document_move ON moved_document (space_id, move_id);

-- The documents of an update that are not as they were, and what became of each.
CREATE TABLE move_change (
  space_id    int NOT NULL,
  move_id     hex_id NOT NULL,
  model_id    int NOT NULL,
  document_id hex_id NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('new', 'changed', 'both', 'gone', 'removed')),
  takes       boolean NOT NULL,            -- the source's state
  version     int,                         -- here, when it was planned; null: there is none
  title       text NOT NULL CHECK (length(title) <= 200),
  outcome     text CHECK (outcome IN ('taken', 'kept', 'edited', 'refused')),
  problem     text,                        -- code of what refused it
  left_out    text[] NOT NULL DEFAULT '{}', -- keys of values that no field keeps
  PRIMARY KEY (space_id, move_id, model_id, document_id),
  FOREIGN KEY (space_id, move_id) REFERENCES move ON DELETE CASCADE,
  CHECK (coalesce(outcome = 'refused', false) = (problem IS NOT NULL))
);

GRANT SELECT, INSERT, UPDATE, DELETE ON moved_document, move_change TO imori_member;
ALTER TABLE moved_document ENABLE ROW LEVEL SECURITY;
ALTER TABLE move_change ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON moved_document TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON move_change TO imori_member USING (space_id = current_setting('imori.space_id')::int);
