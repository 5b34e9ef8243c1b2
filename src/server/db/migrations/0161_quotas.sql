-- Quotas of billing plans (docs/decisions/0127).

-- Number and bytes of the assets outside the trash, so that a quota does not read the whole library.
CREATE TABLE asset_total (
  space_id int PRIMARY KEY REFERENCES space ON DELETE CASCADE,
  assets   bigint NOT NULL CHECK (assets >= 0),
  bytes    bigint NOT NULL CHECK (bytes >= 0)
) WITH (fillfactor = 50);
GRANT SELECT ON asset_total TO imori_member;
ALTER TABLE asset_total ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON asset_total TO imori_member, imori_worker
  USING (space_id = current_setting('imori.space_id')::int);

-- Excludes writers until the trigger and the first totals are committed together.
LOCK TABLE asset IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO asset_total (space_id, assets, bytes)
  SELECT space_id, count(*), sum(size) FROM asset WHERE deleted_at IS NULL GROUP BY space_id;

-- Runs when the transaction ends (0052). The lock of the policy serialises the changes of a space.
CREATE OR REPLACE FUNCTION count_asset_copies() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  space       int := coalesce(NEW.space_id, OLD.space_id);
  more_assets bigint := 0;
  more_bytes  bigint := 0;
BEGIN
  PERFORM FROM public.space_policy WHERE space_id = space FOR NO KEY UPDATE;
  IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL THEN
    UPDATE public.asset_copies SET assets = assets - 1 WHERE space_id = space AND hash = OLD.hash;
    DELETE FROM public.asset_copies WHERE space_id = space AND hash = OLD.hash AND assets = 0;
    more_assets := more_assets - 1;
    more_bytes := more_bytes - OLD.size;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO public.asset_copies AS copies (space_id, hash, assets) VALUES (space, NEW.hash, 1)
      ON CONFLICT (space_id, hash) DO UPDATE SET assets = copies.assets + 1;
    more_assets := more_assets + 1;
    more_bytes := more_bytes + NEW.size;
  END IF;
  IF more_assets <> 0 OR more_bytes <> 0 THEN
    UPDATE public.asset_total SET assets = assets + more_assets, bytes = bytes + more_bytes WHERE space_id = space;
    -- A space that is being purged has no totals, and they do not come back.
    IF NOT FOUND AND more_assets > 0 THEN
      INSERT INTO public.asset_total (space_id, assets, bytes) VALUES (space, more_assets, more_bytes);
    END IF;
  END IF;
  RETURN NULL;
END $$;

-- Locks a quota of a space against other additions until the transaction ends, and returns its use. Each statement of a
-- VOLATILE function has its own snapshot, so the use contains what earlier holders of the lock committed.
CREATE FUNCTION lock_quota(space int, kind text) RETURNS bigint
  LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('quota ' || kind, space));
  CASE kind
    WHEN 'members' THEN
      RETURN (SELECT count(*) FROM space_member WHERE space_id = space);
    WHEN 'apps' THEN
      RETURN (SELECT count(*) FROM app WHERE space_id = space AND deleted_at IS NULL);
    WHEN 'models' THEN
      RETURN (SELECT count(*) FROM model JOIN app ON app.id = model.app_id
        WHERE model.space_id = space AND model.deleted_at IS NULL AND app.deleted_at IS NULL);
    WHEN 'documents' THEN
      RETURN (SELECT coalesce(sum(model_stat.documents), 0) FROM model JOIN app ON app.id = model.app_id
        JOIN model_stat ON model_stat.model_id = model.id
        WHERE model.space_id = space AND model.deleted_at IS NULL AND app.deleted_at IS NULL);
    WHEN 'assets' THEN
      RETURN coalesce((SELECT assets FROM asset_total WHERE space_id = space), 0);
    WHEN 'storage' THEN
      RETURN coalesce((SELECT bytes FROM asset_total WHERE space_id = space), 0);
  END CASE;
END $$;
REVOKE ALL ON FUNCTION lock_quota FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lock_quota TO imori_member, imori_worker;
