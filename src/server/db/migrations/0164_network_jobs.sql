-- Jobs that wait for other systems have their own slots (docs/decisions/0103).
ALTER TABLE job ADD COLUMN is_network boolean NOT NULL DEFAULT false;
UPDATE job SET is_network = true WHERE name = 'webhooks.deliver';

CREATE FUNCTION flags_of_job(is_network boolean, is_long boolean, space_id int, requested_by text) RETURNS text[]
LANGUAGE sql IMMUTABLE
  RETURN CASE WHEN is_network THEN ARRAY['network']
    WHEN is_long THEN array_remove(
      ARRAY['long', 'long of space ' || space_id, 'long of account ' || requested_by], NULL) END;

CREATE OR REPLACE FUNCTION queue_inserted_jobs() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM graphile_worker.add_jobs(array_agg(
    ROW (name, json_build_object('id', id), queue, run_at, 1000, NULL, priority,
      public.flags_of_job(is_network, is_long, space_id, requested_by))::graphile_worker.job_spec))
  FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION queue_job_again() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM graphile_worker.add_job(NEW.name, json_build_object('id', NEW.id), NEW.queue, NEW.run_at, 1000,
    priority => NEW.priority,
    flags => public.flags_of_job(NEW.is_network, NEW.is_long, NEW.space_id, NEW.requested_by));
  RETURN NULL;
END $$;
DROP FUNCTION flags_of_job(boolean, int, text);
