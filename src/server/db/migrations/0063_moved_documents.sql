-- What moves from Newt have left, of those that were made before this was written down. Their revisions bear the times that the
-- documents had there, all of them before the import began. Of a document that was written here since, `updated_at` is that of its
-- newest such revision: where that is not exact, an update asks once too often whose state is to be kept.
INSERT INTO moved_document (space_id, model_id, document_id, move_id, version, updated_at, published_at, custom_order)
SELECT document.space_id, document.model_id, document.id, move.id, brought.version,
  CASE WHEN document.version = brought.version THEN document.updated_at ELSE brought.at END,
  CASE WHEN document.version = brought.version THEN document.published_at ELSE brought.published_at END,
  document.custom_order
FROM move
JOIN model ON model.space_id = move.space_id AND model.app_id = move.app_id
JOIN document ON document.space_id = model.space_id AND document.model_id = model.id
CROSS JOIN LATERAL (
  SELECT max(revision.version) AS version, max(revision.created_at) AS at,
    max(revision.created_at) FILTER (WHERE revision.kind = 'publish') AS published_at
  FROM revision
  WHERE revision.space_id = document.space_id AND revision.model_id = document.model_id
    AND revision.document_id = document.id AND revision.created_at < move.started_at
) AS brought
WHERE move.state IN ('imported', 'accepted') AND move.plan->'source'->>'kind' = 'newt' AND brought.version IS NOT NULL;
