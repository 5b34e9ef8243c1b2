-- What happens later: jobs, and the outbox in the order in which its readers see it.

-- A job as people see it, and the authority on whether it still has to run. A row that waits has an entry in
-- graphile_worker's queue (the triggers below), which says when; the queue's own tables hold nothing else of ours.
CREATE TABLE job (
  id               hex_id PRIMARY KEY,
  space_id         int REFERENCES space,     -- NULL: the installation's own
  name             text COLLATE "C" NOT NULL,
  payload          jsonb NOT NULL,
  key              text,                     -- of those that wait with the same key there is one
  queue            text,                     -- jobs of one queue run one after the other
  priority         smallint NOT NULL,
  max_attempts     smallint NOT NULL,
  state            text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
  failures         smallint NOT NULL DEFAULT 0,
  run_at           timestamptz NOT NULL DEFAULT now(),
  worker           text,                     -- the process that runs it, and
  run              hex_id,                   -- which of its runs may say how it ended
  done             bigint,
  total            bigint,
  cancel_requested boolean NOT NULL DEFAULT false,
  error            jsonb,                    -- {code, message}: what anybody may read
  requested_by     hex_id,
  created_at       moment NOT NULL DEFAULT now(),
  started_at       moment,
  finished_at      moment
);
CREATE UNIQUE INDEX job_key ON job (name, space_id, key) NULLS NOT DISTINCT WHERE state = 'waiting' AND key IS NOT NULL;
CREATE INDEX job_state ON job (state, created_at DESC);
CREATE INDEX job_space ON job (space_id, created_at DESC);

-- An entry is offered again for as long as its job has not come to an end: how often is decided by the row.
CREATE FUNCTION queue_inserted_jobs() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM graphile_worker.add_jobs(array_agg(
    ROW (name, json_build_object('id', id), queue, run_at, 1000, NULL, priority, NULL)::graphile_worker.job_spec))
  FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER job_inserted AFTER INSERT ON job REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION queue_inserted_jobs();

CREATE FUNCTION queue_job_again() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM graphile_worker.add_job(NEW.name, json_build_object('id', NEW.id), NEW.queue, NEW.run_at, 1000,
    priority => NEW.priority);
  RETURN NULL;
END $$;
CREATE TRIGGER job_waits_again AFTER UPDATE OF state, run_at ON job FOR EACH ROW
  WHEN (NEW.state = 'waiting' AND (OLD.state, OLD.run_at) IS DISTINCT FROM (NEW.state, NEW.run_at))
  EXECUTE FUNCTION queue_job_again();

-- A worker holds this lock while it lives; it goes with its connection, however the process ended.
CREATE FUNCTION worker_lock(worker text) RETURNS bigint LANGUAGE sql IMMUTABLE
  RETURN hashtextextended(worker, 4922637172);
CREATE FUNCTION is_worker_alive(worker text) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::bigint << 32 | objid::bigint) = worker_lock(worker))
$$;

GRANT SELECT, INSERT ON job TO imori_member;
GRANT UPDATE (state, cancel_requested, finished_at) ON job TO imori_member;
ALTER TABLE job ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON job TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- The place of an event in the outbox. It is given after the commit, by whoever reads: ids are given before, and a
-- transaction that takes a while would come to light behind a reader that went by them.
ALTER TABLE event ADD COLUMN position bigint;
CREATE SEQUENCE event_position;
CREATE UNIQUE INDEX event_position_key ON event (position);
CREATE INDEX event_unplaced ON event (id) WHERE position IS NULL;

-- How far each reader of the outbox has come.
CREATE TABLE subscription (
  name       text COLLATE "C" PRIMARY KEY,
  position   bigint NOT NULL,
  updated_at moment NOT NULL DEFAULT now()
);

-- What the clean-up jobs look for.
CREATE INDEX document_deleted ON document (deleted_at) WHERE deleted_at IS NOT NULL;
