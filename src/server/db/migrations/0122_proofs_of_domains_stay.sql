-- A space that deletes its SSO and makes it anew has not lost its domains: their proofs are the space's, not the connection's.
ALTER TABLE sso_domain DROP CONSTRAINT sso_domain_space_id_fkey;
ALTER TABLE sso_domain ADD CONSTRAINT sso_domain_space_id_fkey FOREIGN KEY (space_id) REFERENCES space;
