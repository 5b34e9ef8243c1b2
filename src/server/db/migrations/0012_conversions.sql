-- Changes of a large model's fields are carried to its documents by a job (server/features/models/models.jobs.ts). Until
-- it is through, the model keeps what changed: [{version, changes: [{from, to}]}], the oldest first.
ALTER TABLE model ADD COLUMN conversions jsonb NOT NULL DEFAULT '[]';
-- The version of the model in whose shape the values are stored; it matters while the model has conversions only.
ALTER TABLE document ADD COLUMN shape int NOT NULL DEFAULT 0;

-- Values of removed fields left documents by a job of their own before: what of it is left goes the same way now.
UPDATE model SET conversions = jsonb_build_array(jsonb_build_object('version', model.version, 'changes', removed.changes))
  FROM (SELECT space_id, (payload->>'modelId')::int AS model_id,
      jsonb_agg(jsonb_build_object('from', jsonb_build_object('_id', field_id), 'to', NULL)) AS changes
    FROM job, jsonb_array_elements_text(payload->'fieldIds') AS field_id
    WHERE name = 'models.removeValues' AND state IN ('waiting', 'running') GROUP BY 1, 2) AS removed
  WHERE model.space_id = removed.space_id AND model.id = removed.model_id;
UPDATE job SET name = 'models.convert', state = 'waiting', run_at = now()
  WHERE name = 'models.removeValues' AND state IN ('waiting', 'running');

-- What published lists filter and sort by, told by processes that answer to the job that makes indexes
-- (server/content/field-indexes). Only the owner's business, as field_index is.
CREATE TABLE field_index_use (
  name     text COLLATE "C" PRIMARY KEY,
  model_id int NOT NULL,
  field_id hex_id NOT NULL,
  keys     text NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now()
);
