-- A change of a custom type is one of each model that uses it: these changes are taken back together.
ALTER TABLE model_change
  ADD custom_type_id int,                  -- NULL: a change of the model alone
  ADD custom_type_version int,             -- the version of the custom type that it made
  ADD FOREIGN KEY (space_id, custom_type_id) REFERENCES custom_type (space_id, id),
  ADD CHECK (num_nulls(custom_type_id, custom_type_version) <> 1);
CREATE INDEX model_change_custom_type ON model_change (space_id, custom_type_id) WHERE custom_type_id IS NOT NULL;
