-- Which kind a move is. It followed from which columns were null; `unknown` is one whose archive has not been checked, or was refused.
ALTER TABLE move ADD COLUMN kind text NOT NULL DEFAULT 'unknown'
  CHECK (kind IN ('unknown', 'contents', 'carried', 'several', 'update', 'import'));
UPDATE move SET kind = CASE
  WHEN updates = id THEN 'import'
  WHEN updates IS NOT NULL THEN 'update'
  WHEN EXISTS (SELECT FROM move AS part WHERE part.space_id = move.space_id AND part.parent_id = move.id) THEN 'several'
  WHEN plan IS NULL THEN 'unknown'
  WHEN plan->'source'->>'kind' = 'imori' THEN 'carried'
  ELSE 'contents' END;
