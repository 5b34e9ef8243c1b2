-- How many assets of a library have the same bytes, so that what repeats is found without reading them all.
CREATE TABLE asset_copies (
  space_id int NOT NULL REFERENCES space,
  hash     bytea NOT NULL,
  assets   int NOT NULL CHECK (assets >= 0),
  PRIMARY KEY (space_id, hash)
);
CREATE INDEX asset_copies_repeated ON asset_copies (space_id, hash) WHERE assets > 1;
GRANT SELECT ON asset_copies TO imori_member;
ALTER TABLE asset_copies ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON asset_copies TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- Counted when a transaction ends, so that uploads of the same bytes wait for each other no longer than that.
CREATE FUNCTION count_asset_copies() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
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
REVOKE ALL ON FUNCTION count_asset_copies FROM PUBLIC;
CREATE CONSTRAINT TRIGGER asset_copies AFTER INSERT OR DELETE OR UPDATE OF hash, deleted_at ON asset
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_asset_copies();
INSERT INTO asset_copies (space_id, hash, assets)
  SELECT space_id, hash, count(*) FROM asset WHERE deleted_at IS NULL GROUP BY space_id, hash;

CREATE INDEX asset_ending ON asset (space_id, file_ending, created_at DESC, id DESC) WHERE deleted_at IS NULL;
