-- Rows that follow from the values of a document are written with it, by whoever has locked it, and by nobody else: a key that is
-- looked up for each of them is most of what they cost (docs/decisions/0069). What is left to check is that none of them outlives
-- its document, and that is seen once for all that are deleted.
DO $$
DECLARE one record;
BEGIN
  FOR one IN SELECT conrelid::regclass AS owner, conname FROM pg_constraint
    WHERE contype = 'f' AND confrelid = 'document'::regclass AND conparentid = 0
      AND conrelid IN ('document_reference'::regclass, 'document_unique'::regclass, 'asset_reference'::regclass) LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.owner, one.conname);
  END LOOP;
END $$;

-- Finding nothing is the rule, for which the planner would read whole tables: it looks for few of many rows, so by their keys.
CREATE FUNCTION refuse_orphans() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF EXISTS (SELECT FROM gone JOIN public.document_text AS own ON own.model_id = gone.model_id AND own.document_id = gone.id)
    OR EXISTS (SELECT FROM gone JOIN public.document_unique AS own ON own.model_id = gone.model_id AND own.document_id = gone.id)
    OR EXISTS (SELECT FROM gone JOIN public.document_reference AS own ON own.from_model_id = gone.model_id AND own.from_id = gone.id)
    OR EXISTS (SELECT FROM gone JOIN public.asset_reference AS own ON own.model_id = gone.model_id AND own.document_id = gone.id)
  THEN
    RAISE foreign_key_violation USING MESSAGE = 'rows that follow from a document are still there';
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION refuse_orphans FROM PUBLIC;
CREATE TRIGGER document_orphans AFTER DELETE ON document REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_orphans();
