-- Which jobs may take long: their entries of the queue carry flags, by which a worker keeps a place free for the others and lets
-- no space have all that is left.
ALTER TABLE job ADD COLUMN is_long boolean NOT NULL DEFAULT false;
UPDATE job SET is_long = true WHERE name IN (
  'appExports.cleanUp', 'appExports.write', 'assets.cleanUp', 'assets.moveFiles', 'auditLog.release', 'documents.purgeTrash',
  'externalStorage.cleanUp', 'fieldIndexes.make', 'models.convert', 'models.purgeKept', 'moves.check', 'moves.cleanUp',
  'moves.import', 'moves.undo', 'spaces.purgeDeleted', 'templates.cleanUp', 'templates.fill', 'templates.save');

CREATE FUNCTION flags_of_job(is_long boolean, space_id int) RETURNS text[] LANGUAGE sql IMMUTABLE
  RETURN CASE WHEN is_long THEN array_remove(ARRAY['long', 'long of space ' || space_id], NULL) END;

CREATE OR REPLACE FUNCTION queue_inserted_jobs() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM graphile_worker.add_jobs(array_agg(
    ROW (name, json_build_object('id', id), queue, run_at, 1000, NULL, priority, public.flags_of_job(is_long, space_id)
      )::graphile_worker.job_spec))
  FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION queue_job_again() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM graphile_worker.add_job(NEW.name, json_build_object('id', NEW.id), NEW.queue, NEW.run_at, 1000,
    priority => NEW.priority, flags => public.flags_of_job(NEW.is_long, NEW.space_id));
  RETURN NULL;
END $$;
