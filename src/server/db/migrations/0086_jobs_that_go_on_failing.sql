-- What a job needs to know of its earlier runs, so that it stops when it fails in the same way or ends its process again.
ALTER TABLE job
  ADD COLUMN unit          text,                         -- of `done` and `total`; NULL: items
  ADD COLUMN failure       text COLLATE "C",             -- a hash of what it failed with last, and
  ADD COLUMN repeats       smallint NOT NULL DEFAULT 0,  -- how often in a row it was that
  ADD COLUMN interruptions smallint NOT NULL DEFAULT 0,  -- how often its process ended under it without its getting further than
  ADD COLUMN reached       bigint NOT NULL DEFAULT 0,    -- the furthest `done` at such an end
  ADD COLUMN outages       smallint NOT NULL DEFAULT 0;  -- runs that ended because PostgreSQL was away
ALTER TABLE job DROP CONSTRAINT job_state_check;
ALTER TABLE job ADD CONSTRAINT job_state_check
  CHECK (state IN ('waiting', 'running', 'done', 'failed', 'stopped', 'cancelled'));
GRANT UPDATE (repeats, interruptions, outages) ON job TO imori_member;
