-- What delivery keeps in memory of a space has versions: another one after each change of the rows that it follows from, in the
-- transaction of the change, and read with every request (docs/decisions/0084). `tokens`: who may read; `models`: apps and their
-- models; `files`: assets as they are delivered; `library`: what answers show of assets. A version is the transaction that changed it and something of chance: a copy of the
-- database that is put back never gives a version that was there before to other rows.
CREATE TABLE space_delivery (
  space_id int PRIMARY KEY REFERENCES space ON DELETE CASCADE,
  tokens   text NOT NULL DEFAULT gen_random_uuid()::text,
  models   text NOT NULL DEFAULT gen_random_uuid()::text,
  files    text NOT NULL DEFAULT gen_random_uuid()::text,
  library  text NOT NULL DEFAULT gen_random_uuid()::text
) WITH (fillfactor = 50);
GRANT SELECT ON space_delivery TO imori_member;
ALTER TABLE space_delivery ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON space_delivery TO imori_member USING (space_id = current_setting('imori.space_id')::int);

CREATE FUNCTION begin_space_delivery() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.space_delivery (space_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION begin_space_delivery FROM PUBLIC;
CREATE TRIGGER space_delivery AFTER INSERT ON space FOR EACH ROW EXECUTE FUNCTION begin_space_delivery();
INSERT INTO space_delivery (space_id) SELECT id FROM space;

-- Changes the parts that the trigger names. Written when a transaction ends, once however many rows changed. Whoever writes a version of
-- a space at that time locks the row of its policy first (this function, that of 0069, and those of assets below), so that no two wait for
-- each other.
CREATE FUNCTION change_space_delivery() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changed int;
  own text := pg_current_xact_id()::text || '.';
  known public.space_delivery;
BEGIN
  IF TG_TABLE_NAME = 'space' THEN
    changed := NEW.id;
  ELSE
    changed := coalesce(NEW.space_id, OLD.space_id);
  END IF;
  SELECT * INTO known FROM public.space_delivery WHERE space_id = changed;
  IF ('tokens' = ANY (TG_ARGV) AND NOT known.tokens ^@ own) OR ('models' = ANY (TG_ARGV) AND NOT known.models ^@ own)
      OR ('files' = ANY (TG_ARGV) AND NOT known.files ^@ own) OR ('library' = ANY (TG_ARGV) AND NOT known.library ^@ own) THEN
    PERFORM FROM public.space_policy WHERE space_id = changed FOR NO KEY UPDATE;
    own := own || gen_random_uuid();
    UPDATE public.space_delivery SET
      tokens = CASE WHEN 'tokens' = ANY (TG_ARGV) THEN own ELSE tokens END,
      models = CASE WHEN 'models' = ANY (TG_ARGV) THEN own ELSE models END,
      files = CASE WHEN 'files' = ANY (TG_ARGV) THEN own ELSE files END,
      library = CASE WHEN 'library' = ANY (TG_ARGV) THEN own ELSE library END
      WHERE space_id = changed;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION change_space_delivery FROM PUBLIC;

CREATE CONSTRAINT TRIGGER space_delivery_change AFTER UPDATE ON space
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION change_space_delivery('tokens', 'models', 'files');

-- That there is no token or no asset is not kept: a new one changes nothing.
CREATE CONSTRAINT TRIGGER space_delivery_change AFTER DELETE OR UPDATE OF kind, value_hash, app_ids, expires_at ON token
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('tokens');
CREATE CONSTRAINT TRIGGER space_delivery_change AFTER INSERT OR UPDATE OR DELETE ON space_security
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('tokens');

CREATE CONSTRAINT TRIGGER space_delivery_change AFTER INSERT OR UPDATE OR DELETE ON app
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('models');
CREATE CONSTRAINT TRIGGER space_delivery_change AFTER INSERT OR UPDATE OR DELETE ON app_picture
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('models');
CREATE CONSTRAINT TRIGGER space_delivery_change AFTER INSERT OR UPDATE OR DELETE ON model
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('models');
CREATE CONSTRAINT TRIGGER space_delivery_change AFTER INSERT OR UPDATE OR DELETE ON custom_type
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('models');

CREATE CONSTRAINT TRIGGER space_delivery_change AFTER DELETE OR UPDATE OF file_name, media_type, size, storage, storage_key, hash,
    width, height, focal_x, focal_y, is_private, version, deleted_at ON asset
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('files');
CREATE CONSTRAINT TRIGGER space_delivery_change AFTER UPDATE OR DELETE ON asset_former_uid
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('files');
CREATE CONSTRAINT TRIGGER space_delivery_change AFTER INSERT OR UPDATE OR DELETE ON image_settings
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('files');

-- What answers show of the library, as asset_stat (0016) had it.
CREATE CONSTRAINT TRIGGER space_library_change AFTER INSERT OR DELETE OR
    UPDATE OF file_name, media_type, size, width, height, metadata, title, description, alt_text, deleted_at ON asset
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_delivery('library');
DROP TRIGGER asset_version ON asset;
DROP FUNCTION move_asset_version;
DROP TABLE asset_stat;

CREATE OR REPLACE FUNCTION count_asset_copies() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM public.space_policy WHERE space_id = coalesce(NEW.space_id, OLD.space_id) FOR NO KEY UPDATE;
  IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL THEN
    UPDATE public.asset_copies SET assets = assets - 1 WHERE space_id = OLD.space_id AND hash = OLD.hash;
    DELETE FROM public.asset_copies WHERE space_id = OLD.space_id AND hash = OLD.hash AND assets = 0;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO public.asset_copies AS copies (space_id, hash, assets) VALUES (NEW.space_id, NEW.hash, 1)
      ON CONFLICT (space_id, hash) DO UPDATE SET assets = copies.assets + 1;
  END IF;
  RETURN NULL;
END $$;

-- What notices told processes of assets they read with every request.
DROP TRIGGER asset_updated ON asset;
DROP TRIGGER asset_deleted ON asset;
DROP TRIGGER image_settings_inserted ON image_settings;
DROP TRIGGER image_settings_updated ON image_settings;
DROP TRIGGER image_settings_deleted ON image_settings;
DROP FUNCTION tell_assets_changed;
