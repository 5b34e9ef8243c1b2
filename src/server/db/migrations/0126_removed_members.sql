-- Whose membership of a space has ended, so that the space's SSO does not let them in again by itself: by account and by address,
-- because either can be exchanged. A new membership ends it (docs/decisions/0102).
CREATE TABLE removed_member (
  space_id   int NOT NULL REFERENCES space,
  who        text NOT NULL,                  -- id of an account, or the SHA-256 of an address in small letters as hex
  removed_at moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, who)
);
GRANT SELECT, INSERT, DELETE ON removed_member TO imori_member;
ALTER TABLE removed_member ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON removed_member TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- Until now who had signed in by SSO and was no member any more was known by that alone, and the directory's people by their rows.
INSERT INTO removed_member (space_id, who)
SELECT known.space_id, who FROM (
    SELECT space_id, account_id FROM sso_identity
    UNION SELECT space_id, account_id FROM scim_user WHERE account_id IS NOT NULL) AS known
JOIN account ON account.id = known.account_id,
  unnest(ARRAY[account.id::text, encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex')]) AS who
WHERE NOT EXISTS (SELECT FROM space_member
  WHERE space_member.space_id = known.space_id AND space_member.account_id = known.account_id)
ON CONFLICT DO NOTHING;
INSERT INTO removed_member (space_id, who)
SELECT space_id, encode(sha256(convert_to(lower(address), 'UTF8')), 'hex') FROM scim_user AS known,
  LATERAL (SELECT user_name_key AS address UNION SELECT normalize(email->>'value', NFKC)
    FROM jsonb_array_elements(CASE jsonb_typeof(attributes->'emails') WHEN 'array' THEN attributes->'emails' ELSE '[]' END) AS email
    WHERE email->>'value' IS NOT NULL) AS addresses
WHERE NOT EXISTS (SELECT FROM space_member
  WHERE space_member.space_id = known.space_id AND space_member.id = known.member_id)
ON CONFLICT DO NOTHING;
