-- What was published when a document went to the trash: a restored document is as it was before.
ALTER TABLE document
  ADD COLUMN trashed_published_version int,
  ADD COLUMN trashed_published_at moment,
  ADD COLUMN trashed_published_updated_at moment,
  ADD CHECK (deleted_at IS NOT NULL OR trashed_published_version IS NULL),
  ADD CHECK ((trashed_published_version IS NULL) = (trashed_published_at IS NULL)),
  ADD CHECK ((trashed_published_version IS NULL) = (trashed_published_updated_at IS NULL));
CREATE INDEX document_trash ON document (model_id, deleted_at DESC, id) WHERE deleted_at IS NOT NULL;

-- The order of models in their app; those of the same position by id.
ALTER TABLE model ADD COLUMN position int NOT NULL DEFAULT 0;
