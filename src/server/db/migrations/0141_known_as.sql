-- As what an account was known before: addresses that it gave up or was invited by, and who it is or was to identity providers. A
-- membership that ends is remembered under all of these (docs/decisions/0102). Hashes as in removed_member.
CREATE TABLE account_known_as (
  account_id hex_id NOT NULL REFERENCES account ON DELETE CASCADE,
  who        text NOT NULL,
  PRIMARY KEY (account_id, who)
);
GRANT SELECT, INSERT ON account_known_as TO imori_member;

INSERT INTO account_known_as (account_id, who)
SELECT account_id, encode(sha256(convert_to(connection_id || E'\n' || issuer || E'\n' || subject, 'UTF8')), 'hex') FROM sso_identity;
INSERT INTO removed_member (space_id, who)
SELECT space_id, encode(sha256(convert_to(connection_id || E'\n' || issuer || E'\n' || subject, 'UTF8')), 'hex')
FROM sso_identity JOIN removed_member USING (space_id) WHERE removed_member.who = sso_identity.account_id
ON CONFLICT DO NOTHING;
