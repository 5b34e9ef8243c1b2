-- No document, asset or event may be written between the count of the stock below and its cursor, and no other process
-- may assign positions (jobs/outbox.ts). The locks come first, so that nothing else is locked while they wait.
SELECT pg_advisory_xact_lock(4922637174);
LOCK TABLE document, asset, event IN SHARE MODE;

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

-- Usage per space and day in UTC (docs/decisions/0125). `usage_day` has the changes and calls of a day, `usage_stock` the
-- current number of documents and assets, including the trash.
CREATE TABLE usage_day (
  space_id          int NOT NULL REFERENCES space ON DELETE CASCADE,
  day               date NOT NULL,
  documents_created bigint NOT NULL DEFAULT 0,
  documents_deleted bigint NOT NULL DEFAULT 0,
  assets_created    bigint NOT NULL DEFAULT 0,
  assets_deleted    bigint NOT NULL DEFAULT 0,
  bytes_added       bigint NOT NULL DEFAULT 0,
  bytes_removed     bigint NOT NULL DEFAULT 0,
  cdn_calls         bigint NOT NULL DEFAULT 0,
  api_calls         bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (space_id, day)
);

CREATE TABLE usage_stock (
  space_id  int PRIMARY KEY REFERENCES space ON DELETE CASCADE,
  documents bigint NOT NULL DEFAULT 0,
  assets    bigint NOT NULL DEFAULT 0,
  bytes     bigint NOT NULL DEFAULT 0
);

GRANT SELECT ON usage_day, usage_stock TO imori_member;
ALTER TABLE usage_day ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_stock ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON usage_day TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON usage_stock TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- The initial stock counts all rows whose events are before the cursor.
WITH unplaced AS MATERIALIZED (SELECT id FROM event WHERE position IS NULL ORDER BY id),
  placed AS MATERIALIZED (SELECT id, nextval('event_position') AS position FROM unplaced)
UPDATE event SET position = placed.position FROM placed WHERE event.id = placed.id;
INSERT INTO outbox_cursor (name, position) SELECT 'usage', coalesce(max(position), 0) FROM event;

INSERT INTO usage_stock (space_id, documents, assets, bytes)
SELECT space.id, coalesce(documents.count, 0), coalesce(assets.count, 0), coalesce(assets.bytes, 0) FROM space
LEFT JOIN (
  SELECT model.space_id, sum(own.count) AS count
  FROM (SELECT model_id, count(*) AS count FROM document GROUP BY model_id) AS own JOIN model ON model.id = own.model_id
  GROUP BY model.space_id
) AS documents ON documents.space_id = space.id
LEFT JOIN (
  SELECT space_id, count(*) AS count, sum(size) AS bytes FROM asset GROUP BY space_id
) AS assets ON assets.space_id = space.id;
