-- What is carried into an app, whoever asked for it (docs/decisions/0056): a move from elsewhere, a duplicate, a template. How far
-- each model is and what became of each file were kept for moves alone.
ALTER TABLE move_model DROP CONSTRAINT move_model_space_id_move_id_fkey;
ALTER TABLE move_asset DROP CONSTRAINT move_asset_space_id_move_id_fkey;
ALTER TABLE move_model RENAME COLUMN move_id TO carry_id;
ALTER TABLE move_asset RENAME COLUMN move_id TO carry_id;
ALTER TABLE move_model RENAME TO carry_model;
ALTER TABLE move_asset RENAME TO carry_asset;
ALTER TABLE carry_model ADD FOREIGN KEY (space_id) REFERENCES space;
ALTER TABLE carry_asset ADD FOREIGN KEY (space_id) REFERENCES space;
-- The last document that is there, by the _id that it had: sources that are read in that order go on behind it.
ALTER TABLE carry_model ADD COLUMN last_id hex_id;
