-- How a space's pictures are delivered; a space without a row has the usual settings (shared/image-settings.ts).

CREATE TABLE image_settings (
  space_id       int PRIMARY KEY REFERENCES space,
  settings       jsonb NOT NULL,
  key_generation int NOT NULL DEFAULT 0,   -- moved on, the key that sites sign addresses with is another one
  updated_at     moment NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE, DELETE ON image_settings TO imori_member;
ALTER TABLE image_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON image_settings TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- Delivery remembers assets and settings until it is told that they are old, whoever it was that changed them: use-cases,
-- jobs that move files, or somebody at the database.
CREATE FUNCTION tell_assets_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('imori', json_build_object('kind', 'assets', 'spaceId', space_id)::text)
    FROM (SELECT DISTINCT space_id FROM changed) AS spaces;
  RETURN NULL;
END $$;
CREATE TRIGGER asset_updated AFTER UPDATE ON asset
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_assets_changed();
CREATE TRIGGER asset_deleted AFTER DELETE ON asset
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_assets_changed();
CREATE TRIGGER image_settings_inserted AFTER INSERT ON image_settings
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_assets_changed();
CREATE TRIGGER image_settings_updated AFTER UPDATE ON image_settings
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_assets_changed();
CREATE TRIGGER image_settings_deleted AFTER DELETE ON image_settings
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_assets_changed();
