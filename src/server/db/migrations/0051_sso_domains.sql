-- Domains of e-mail addresses that a space says are its own. Only those that are proven send people to its SSO, and may be
-- spoken for by its identity provider (docs/decisions/0060). Those of before were let in under the rules of then.
CREATE TABLE sso_domain (
  space_id   int NOT NULL REFERENCES sso_connection ON DELETE CASCADE,
  domain     text NOT NULL,               -- in ASCII
  challenge  text NOT NULL,               -- what its TXT record has to say
  proof      text CHECK (proof IN ('dns', 'operator', 'earlier')),  -- NULL: none yet
  checked_at moment,                      -- when its records were asked for last
  created_at moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, domain)
);
CREATE INDEX sso_domain_proven ON sso_domain (domain) WHERE proof IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON sso_domain TO imori_member;
ALTER TABLE sso_domain ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sso_domain TO imori_member USING (space_id = current_setting('imori.space_id')::int);

INSERT INTO sso_domain (space_id, domain, challenge, proof)
  SELECT space_id, domain, replace(gen_random_uuid()::text, '-', ''), 'earlier'
  FROM sso_connection, unnest(domains) AS domain ON CONFLICT DO NOTHING;
DROP INDEX sso_connection_by_domain;
ALTER TABLE sso_connection DROP COLUMN domains;

-- Ends what an identity provider knows an account as: sessions that are good by it alone end, others forget it. Inside a space
-- it is that space's connection only. Answers the issuer; NULL: there was nothing.
CREATE FUNCTION unlink_sso_identity(the_space int, the_account text) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE ended text;
BEGIN
  IF the_space <> coalesce(nullif(current_setting('imori.space_id', true), '')::int, the_space) THEN RETURN NULL; END IF;
  DELETE FROM sso_identity WHERE space_id = the_space AND account_id = the_account RETURNING issuer INTO ended;
  IF ended IS NULL THEN RETURN NULL; END IF;
  DELETE FROM session WHERE account_id = the_account AND sso_space_id = the_space AND NOT own_means;
  UPDATE session SET sso_space_id = NULL, sso_connection_id = NULL, sso_at = NULL
    WHERE account_id = the_account AND sso_space_id = the_space;
  RETURN ended;
END $$;
REVOKE EXECUTE ON FUNCTION unlink_sso_identity FROM PUBLIC;
GRANT EXECUTE ON FUNCTION unlink_sso_identity TO imori_member;
