-- Pages of the media library are found, counted and put in order by an index alone.
ALTER TABLE asset ADD COLUMN file_ending text NOT NULL                -- `.pdf`; empty: none
  GENERATED ALWAYS AS (coalesce(lower(substring(file_name FROM '\.[^.]+$')), '')) STORED;
DROP INDEX asset_created;
CREATE INDEX asset_created ON asset (space_id, created_at DESC, id DESC)
  INCLUDE (file_name, file_ending, media_type, size, updated_at, created_by, updated_by) WHERE deleted_at IS NULL;
-- With what is searched; long texts, which no index takes, are few.
DROP INDEX asset_searched;
CREATE INDEX asset_searched ON asset (space_id)
  INCLUDE (search_text, id, file_name, file_ending, media_type, size, created_at, updated_at, created_by, updated_by)
  WHERE deleted_at IS NULL AND length(search_text) <= 500;

-- Lists of the management API. PostgreSQL looks for nothing in an index on values or on pairs of characters where row-level
-- security holds, because no operator on them is leak-proof. These show the rows of the present space only, as the policy
-- does, and are read with the rights of their owner.
CREATE VIEW space_document AS SELECT * FROM document WHERE space_id = current_setting('imori.space_id')::int;
CREATE VIEW space_document_text AS SELECT * FROM document_text WHERE space_id = current_setting('imori.space_id')::int;
GRANT SELECT ON space_document, space_document_text TO imori_member;

-- Documents in the orders of lists, by status, and by who made or last changed them. Counting and skipping read nothing else.
DROP INDEX document_created, document_updated, document_drafts, document_changed;
CREATE INDEX document_created ON document (model_id, created_at DESC, id) INCLUDE (space_id) WHERE deleted_at IS NULL;
CREATE INDEX document_updated ON document (model_id, updated_at DESC, id) INCLUDE (space_id) WHERE deleted_at IS NULL;
CREATE INDEX document_drafts ON document (model_id, updated_at DESC, id) INCLUDE (space_id)
  WHERE published_at IS NULL AND deleted_at IS NULL;
CREATE INDEX document_changed ON document (model_id, updated_at DESC, id) INCLUDE (space_id)
  WHERE published_at IS NOT NULL AND draft IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX document_unchanged ON document (model_id, updated_at DESC, id) INCLUDE (space_id)
  WHERE published_at IS NOT NULL AND draft IS NULL AND deleted_at IS NULL;
CREATE INDEX document_created_by ON document (model_id, created_by, updated_at DESC, id) INCLUDE (space_id)
  WHERE deleted_at IS NULL;
CREATE INDEX document_updated_by ON document (model_id, updated_by, updated_at DESC, id) INCLUDE (space_id)
  WHERE deleted_at IS NULL;

-- Words of one character are found in current states, as content/text.ts writes them from now on. An index that is built at
-- the end takes a fraction of one that grows with every row.
DROP INDEX document_text_grams;
UPDATE document_text SET grams = grams || ARRAY(SELECT DISTINCT ascii(character)
    FROM jsonb_each_text(texts) AS text, unnest(string_to_array(fold_kana(text.value), NULL)) AS character)
  WHERE stage = 0;
CREATE INDEX document_text_grams ON document_text USING gin (grams) WITH (fastupdate = off);
