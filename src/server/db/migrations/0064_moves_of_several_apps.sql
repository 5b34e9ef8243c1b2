-- An archive may hold several apps (docs/decisions/0067): each is a move of its own with its plan, its app and its report, and part of
-- the one that was sent, whose state, file and jobs are those of all.
ALTER TABLE move
  ADD COLUMN parent_id hex_id,                       -- the move that it is a part of
  ADD COLUMN part text,                              -- the folder of the archive in which the app lies
  ADD COLUMN chosen boolean NOT NULL DEFAULT true,   -- false: this part stays behind
  ADD COLUMN app_links jsonb,                        -- which parts name documents of other apps
  ADD CONSTRAINT move_parent FOREIGN KEY (space_id, parent_id) REFERENCES move (space_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT move_part CHECK ((parent_id IS NULL) = (part IS NULL));
CREATE UNIQUE INDEX move_parts ON move (space_id, parent_id, part) WHERE parent_id IS NOT NULL;
