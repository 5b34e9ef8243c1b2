-- Jobs run under a role with row-level security: a job of a space reaches only rows of its space, and a job of the
-- installation reaches no rows of spaces, because its setting imori.space_id is empty.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'imori_worker') THEN
    CREATE ROLE imori_worker NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object THEN NULL; -- another database of this cluster created it at the same time
END $$;
GRANT imori_worker TO CURRENT_USER;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO imori_worker;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO imori_worker;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO imori_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO imori_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO imori_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO imori_worker;

DO $$
DECLARE policy record;
BEGIN
  FOR policy IN SELECT tablename, policyname FROM pg_policies
    WHERE schemaname = 'public' AND 'imori_member' = ANY (roles) AND tablename NOT IN ('job', 'audit_entry', 'sso_sign_in')
  LOOP
    EXECUTE format('ALTER POLICY %I ON %I TO imori_member, imori_worker', policy.policyname, policy.tablename);
  END LOOP;
END $$;
-- Jobs also enqueue jobs of the installation, such as mails, and write to the log of the installation.
CREATE POLICY worker ON job TO imori_worker
  USING (space_id IS NULL OR space_id = nullif(current_setting('imori.space_id'), '')::int);
CREATE POLICY worker ON audit_entry TO imori_worker
  USING (space_id = 0 OR space_id = nullif(current_setting('imori.space_id'), '')::int);
-- Unfinished sign-ins precede the entry to a space.
CREATE POLICY worker ON sso_sign_in TO imori_worker USING (true);
