-- A number for each library that moves on with every change of what answers show of its assets, in the transaction of the
-- change: answers that are kept in memory hold for as long as it stays.
CREATE TABLE asset_stat (
  space_id int PRIMARY KEY REFERENCES space,
  version  bigint NOT NULL DEFAULT 1
);
GRANT SELECT ON asset_stat TO imori_member;
ALTER TABLE asset_stat ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON asset_stat TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- Written when a transaction ends, so that it is the last row that it locks, and once however many assets changed.
CREATE FUNCTION move_asset_version() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changed int := coalesce(NEW.space_id, OLD.space_id);
BEGIN
  IF NOT EXISTS (SELECT FROM public.asset_stat
      WHERE space_id = changed AND xmin = pg_current_xact_id()::xid) THEN
    INSERT INTO public.asset_stat AS stat (space_id) VALUES (changed)
      ON CONFLICT (space_id) DO UPDATE SET version = stat.version + 1;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION move_asset_version FROM PUBLIC;
CREATE CONSTRAINT TRIGGER asset_version AFTER INSERT OR DELETE OR
    UPDATE OF file_name, media_type, size, width, height, metadata, title, description, alt_text, deleted_at ON asset
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_asset_version();
INSERT INTO asset_stat (space_id) SELECT DISTINCT space_id FROM asset;
