-- The jobs that an event consumer has added for events after its cursor, so that an event that is delivered again adds
-- none. Rows up to the cursor are deleted when it moves.
CREATE TABLE event_job (
  consumer text COLLATE "C" NOT NULL REFERENCES outbox_cursor ON DELETE CASCADE,
  position bigint NOT NULL,
  job_name text NOT NULL,
  PRIMARY KEY (consumer, position, job_name)
);

-- Claims the job of an event for the transaction. Returns false if it was added before, or if the cursor is past the
-- event. Locks the cursor, because another process may move it and delete the rows. A transaction inside a space claims
-- jobs for the events of this space only.
CREATE FUNCTION claim_event_job(consumer text, at bigint, job_name text) RETURNS boolean
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH behind AS (
    SELECT name FROM public.outbox_cursor WHERE name = consumer AND position < at AND EXISTS (
      SELECT FROM public.event WHERE event.position = at
        AND event.space_id = coalesce(nullif(current_setting('imori.space_id', true), '')::int, event.space_id))
    FOR SHARE),
  claimed AS (
    INSERT INTO public.event_job SELECT name, at, job_name FROM behind ON CONFLICT DO NOTHING RETURNING 1)
  SELECT EXISTS (SELECT FROM claimed)
$$;
REVOKE EXECUTE ON FUNCTION claim_event_job FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_event_job TO imori_member;
