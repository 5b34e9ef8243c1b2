-- Who caused an event: a person (actor_id), a token or a job (by name; actor_id is then who asked for the job).
-- A person is known by the account alone, because its name may change.
ALTER TABLE event
  ADD COLUMN actor_kind text NOT NULL DEFAULT 'account' CHECK (actor_kind IN ('account', 'token', 'job')),
  ADD COLUMN actor_name text;
