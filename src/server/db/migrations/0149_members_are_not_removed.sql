-- 0126 remembered the addresses of a directory's inactive people also where these had become members again in another way, such as
-- by an invitation. A membership ends that (docs/decisions/0102).
DELETE FROM removed_member USING (
  SELECT space_id, account_id::text AS who FROM space_member
  UNION SELECT space_id, encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex')
    FROM space_member JOIN account ON account.id = space_member.account_id
  UNION SELECT space_id, account_known_as.who
    FROM space_member JOIN account_known_as ON account_known_as.account_id = space_member.account_id
) AS present
WHERE removed_member.space_id = present.space_id AND removed_member.who = present.who;
