-- What a file is said to be that moved in and could not be fetched, or was refused: sites go on receiving it as they did, with its old address.
-- {src, fileType, fileSize, width, height}; null for all files that are here.
ALTER TABLE asset ADD COLUMN elsewhere jsonb;

-- A file that was refused is made all the same, as a plain one.
ALTER TABLE carry_asset DROP CONSTRAINT move_asset_check;
