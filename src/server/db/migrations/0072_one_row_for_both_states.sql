-- A document whose draft is what is published has one row of texts for both (stage 2): half the index of most sites, half of what
-- publishing costs (docs/decisions/0077). An index that is built at the end takes a fraction of one that changes with every row.
DROP INDEX document_text_grams;
ALTER TABLE document_text DROP CONSTRAINT document_text_stage_check;
ALTER TABLE document_text ADD CONSTRAINT document_text_stage_check CHECK (stage IN (0, 1, 2));
DELETE FROM document_text AS text USING document
  WHERE text.stage = 1 AND document.model_id = text.model_id AND document.id = text.document_id
    AND document.pub IS NOT NULL AND document.draft IS NULL;
UPDATE document_text AS text SET stage = 2 FROM document
  WHERE text.stage = 0 AND document.model_id = text.model_id AND document.id = text.document_id
    AND document.pub IS NOT NULL AND document.draft IS NULL;
CREATE INDEX document_text_grams ON document_text USING gin (grams) WITH (fastupdate = on);

-- Who refers to whom, and who uses what, in any state: readers look at the values of the state that they ask for.
DELETE FROM document_reference AS one USING document_reference AS other
  WHERE one.stage = 1 AND other.stage = 0 AND other.from_model_id = one.from_model_id AND other.from_id = one.from_id
    AND other.to_model_id = one.to_model_id AND other.to_id = one.to_id;
ALTER TABLE document_reference DROP COLUMN stage;
ALTER TABLE document_reference ADD PRIMARY KEY (from_model_id, from_id, to_model_id, to_id);
CREATE INDEX document_reference_target ON document_reference (to_model_id, to_id);

DELETE FROM asset_reference AS one USING asset_reference AS other
  WHERE one.stage = 1 AND other.stage = 0 AND other.model_id = one.model_id AND other.document_id = one.document_id
    AND other.asset_id = one.asset_id;
ALTER TABLE asset_reference DROP COLUMN stage;
ALTER TABLE asset_reference ADD PRIMARY KEY (model_id, document_id, asset_id);

-- A value that the current state has and that is published has one row, too.
DROP INDEX document_unique_published, document_unique_current;
ALTER TABLE document_unique DROP CONSTRAINT document_unique_stage_check;
ALTER TABLE document_unique ADD CONSTRAINT document_unique_stage_check CHECK (stage IN (0, 1, 2));
WITH both_states AS (
  DELETE FROM document_unique AS one USING document_unique AS other
  WHERE one.stage = 1 AND other.stage = 0 AND other.model_id = one.model_id AND other.document_id = one.document_id
    AND other.field_id = one.field_id AND other.value_hash = one.value_hash
  RETURNING one.model_id, one.document_id, one.field_id, one.value_hash)
UPDATE document_unique AS held SET stage = 2 FROM both_states
  WHERE held.stage = 0 AND held.model_id = both_states.model_id AND held.document_id = both_states.document_id
    AND held.field_id = both_states.field_id AND held.value_hash = both_states.value_hash;
CREATE UNIQUE INDEX document_unique_published ON document_unique (model_id, field_id, value_hash) WHERE stage IN (1, 2);
CREATE INDEX document_unique_drafts ON document_unique (model_id, field_id, value_hash) WHERE stage = 0;

-- The same ids as before: written out again, a number in base 16 is itself. That takes a twentieth of trimming it.
ALTER DOMAIN hex_id DROP CONSTRAINT hex_id_check;
ALTER DOMAIN hex_id ADD CONSTRAINT hex_id_check
  CHECK (octet_length(VALUE) = 24 AND encode(decode(VALUE, 'hex'), 'hex') = VALUE) NOT VALID;

-- Revisions have no key to their document either: each is written in the statement that writes it, and looking it up in a table of 32
-- partitions took PostgreSQL more than writing both. That none outlives its document is seen when that is deleted.
DO $$
DECLARE key name;
BEGIN
  SELECT conname INTO STRICT key FROM pg_constraint
    WHERE contype = 'f' AND conrelid = 'revision'::regclass AND confrelid = 'document'::regclass AND conparentid = 0;
  EXECUTE format('ALTER TABLE revision DROP CONSTRAINT %I', key);
END $$;
CREATE OR REPLACE FUNCTION refuse_orphans() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF EXISTS (SELECT FROM gone JOIN public.document_text AS own ON own.model_id = gone.model_id AND own.document_id = gone.id)
    OR EXISTS (SELECT FROM gone JOIN public.document_unique AS own ON own.model_id = gone.model_id AND own.document_id = gone.id)
    OR EXISTS (SELECT FROM gone JOIN public.document_reference AS own ON own.from_model_id = gone.model_id AND own.from_id = gone.id)
    OR EXISTS (SELECT FROM gone JOIN public.asset_reference AS own ON own.model_id = gone.model_id AND own.document_id = gone.id)
    OR EXISTS (SELECT FROM gone JOIN public.revision AS own ON own.model_id = gone.model_id AND own.document_id = gone.id)
  THEN
    RAISE foreign_key_violation USING MESSAGE = 'rows that follow from a document are still there';
  END IF;
  RETURN NULL;
END $$;
