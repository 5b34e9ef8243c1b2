-- Whether an asset has any tag, so that those without are found in the indexes of the library as what else it filters by is.
ALTER TABLE asset ADD COLUMN tagged boolean NOT NULL DEFAULT false;
UPDATE asset SET tagged = true
  WHERE EXISTS (SELECT FROM asset_tag WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id);

-- Tags come and go in several ways, also with the tag itself. The rows are locked by a statement of its own: what another
-- transaction did to the tags before it let go of them is seen by the next.
CREATE FUNCTION asset_is_tagged() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM asset WHERE (space_id, id) IN (SELECT space_id, asset_id FROM changed) ORDER BY id FOR NO KEY UPDATE;
  UPDATE asset SET tagged = NOT tagged
    WHERE (space_id, id) IN (SELECT space_id, asset_id FROM changed)
      AND tagged <> EXISTS (
        SELECT FROM asset_tag WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id);
  RETURN NULL;
END $$;
CREATE TRIGGER tagged AFTER INSERT ON asset_tag REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION asset_is_tagged();
CREATE TRIGGER untagged AFTER DELETE ON asset_tag REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION asset_is_tagged();

DROP INDEX asset_created, asset_searched;
CREATE INDEX asset_created ON asset (space_id, created_at DESC, id DESC)
  INCLUDE (file_name, file_ending, media_type, size, updated_at, created_by, updated_by, tagged) WHERE deleted_at IS NULL;
CREATE INDEX asset_searched ON asset (space_id)
  INCLUDE (search_text, id, file_name, file_ending, media_type, size, created_at, updated_at, created_by, updated_by, tagged)
  WHERE deleted_at IS NULL AND length(search_text) <= 500;
