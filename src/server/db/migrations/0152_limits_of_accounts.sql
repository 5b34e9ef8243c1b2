-- The open uploads of an account in all spaces. `wait`: seconds until the first of them expires.
CREATE FUNCTION open_uploads_of(account text, OUT count float8, OUT bytes float8, OUT wait float8)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(*)::float8, coalesce(sum(size), 0)::float8,
    coalesce(ceil(extract(epoch FROM min(expires_at) - now())), 0)::float8
  FROM public.open_upload WHERE account_id = account AND expires_at > now()
$$;
CREATE INDEX open_upload_account ON open_upload (account_id);

-- Until when an archive that is being uploaded counts; every new URL for the upload moves it.
ALTER TABLE move ADD COLUMN upload_until moment NOT NULL DEFAULT now() + interval '1 day';

-- The archives of an account in all spaces that are being uploaded or kept, except `other`.
CREATE FUNCTION archives_of(account text, other text, OUT count float8, OUT bytes float8)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(*)::float8, coalesce(sum(file_size), 0)::float8 FROM public.move
  WHERE created_by = account AND parent_id IS NULL AND state NOT IN ('refused', 'accepted')
    AND (state <> 'uploading' OR upload_until > now()) AND id IS DISTINCT FROM other
    AND EXISTS (SELECT FROM public.space WHERE space.id = move.space_id AND space.deleted_at IS NULL)
$$;
CREATE INDEX move_archives ON move (created_by) WHERE parent_id IS NULL AND state NOT IN ('refused', 'accepted');

-- The archives that are being checked, or wait for it, for an account.
CREATE FUNCTION checks_of(account text) RETURNS float8
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(*)::float8 FROM public.job WHERE requested_by = account AND name = 'moves.check' AND state IN ('waiting', 'running')
$$;

REVOKE EXECUTE ON FUNCTION open_uploads_of, archives_of, checks_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_uploads_of, archives_of, checks_of TO imori_member;
