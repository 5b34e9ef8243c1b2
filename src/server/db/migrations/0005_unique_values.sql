-- A unique value is reserved from publishing on; drafts that have it are known (stage 0), so that collisions are seen.
ALTER TABLE document_unique DROP CONSTRAINT document_unique_pkey;
DROP INDEX document_unique_model_id_document_id_idx;
ALTER TABLE document_unique ADD COLUMN stage smallint NOT NULL DEFAULT 1 CHECK (stage IN (0, 1));
ALTER TABLE document_unique ALTER COLUMN stage DROP DEFAULT;
INSERT INTO document_unique (space_id, model_id, field_id, value_hash, document_id, stage)
  SELECT space_id, model_id, field_id, value_hash, document_id, 0 FROM document_unique;
DELETE FROM document_unique AS held USING document
  WHERE held.stage = 1 AND document.model_id = held.model_id AND document.id = held.document_id AND document.pub IS NULL;
ALTER TABLE document_unique ADD PRIMARY KEY (model_id, document_id, stage, field_id, value_hash);
CREATE UNIQUE INDEX document_unique_published ON document_unique (model_id, field_id, value_hash) WHERE stage = 1;
CREATE INDEX document_unique_current ON document_unique (model_id, field_id, value_hash) WHERE stage = 0;
