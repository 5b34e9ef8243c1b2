-- Changes of a model's fields that can be taken back, for as long as nobody has confirmed them (server/features/models).
CREATE TABLE model_change (
  space_id   int NOT NULL,
  model_id   int NOT NULL,
  version    int NOT NULL,                 -- the version of the model that it made
  changes    jsonb NOT NULL,               -- {changes: [{from, to}], types}, as in model.conversions
  positions  text[] NOT NULL,              -- _ids of the model's fields before, in their order
  title_field hex_id,                      -- of the model before
  changed_by hex_id,
  changed_at moment NOT NULL DEFAULT now(),
  ended_at   moment,                       -- confirmed or taken back: what was kept goes
  PRIMARY KEY (model_id, version),
  FOREIGN KEY (space_id, model_id) REFERENCES model (space_id, id)
);
-- What documents held in the changed fields before. Written in the transaction that converts the document.
CREATE TABLE document_before (
  space_id         int NOT NULL,
  model_id         int NOT NULL,
  version          int NOT NULL,
  document_id      hex_id NOT NULL,
  document_version int NOT NULL,           -- of the document then; another one since: somebody has written it
  draft            jsonb,                  -- values of the changed fields alone; NULL: there was no such state
  pub              jsonb,
  PRIMARY KEY (model_id, document_id, version),
  FOREIGN KEY (model_id, version) REFERENCES model_change (model_id, version)
);
CREATE INDEX document_before_change ON document_before (model_id, version);

GRANT SELECT, INSERT, UPDATE, DELETE ON model_change, document_before TO imori_member;
ALTER TABLE model_change ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON model_change TO imori_member USING (space_id = current_setting('imori.space_id')::int);
ALTER TABLE document_before ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON document_before TO imori_member USING (space_id = current_setting('imori.space_id')::int);
