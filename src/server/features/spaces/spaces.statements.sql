-- listSpaces: GET /api/project
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at
from space_member
inner join space on space.id = space_member.space_id
where space_member.account_id = ? and space.deleted_at is null
order by space.created_at, space.id;
select space_creation
from installation_setting;

-- createSpace: POST /api/project
select space_creation
from installation_setting;
insert into space (uid, name)
values (?, ?)
returning space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at;
SELECT set_config('imori.space_id', ?::int::text, true) || set_config('role', 'imori_member', true);
SELECT email
FROM account
WHERE id = ? AND provisioned_by IS NULL AND email_verified_at IS NOT NULL;
SELECT known.member_id AS "memberId", account.id AS "accountId", account.provisioned_by IS NOT NULL AS
  "isProvisioned", known.kept IS NOT NULL AS "isDeactivated"
FROM scim_user AS known
LEFT JOIN space_member AS member ON member.space_id = ? AND member.id = known.member_id
LEFT JOIN account ON account.id = member.account_id
WHERE known.space_id = ? AND (known.user_name_key = ? OR ? IN ( SELECT lower(normalize(btrim(value #>> '{}'),
  NFKC)) FROM jsonb_path_query(known.attributes, '$.emails[*].value') AS value)) UNION
SELECT member.id, account.id, true, false
FROM account
JOIN space_member AS member ON member.space_id = ? AND member.account_id = account.id
WHERE account.provisioned_by = ? AND lower(account.email) = ?;
insert into space_member (space_id, id, account_id, role, signed_in_after)
values (?, ?, ?, ?, ?);
DELETE FROM removed_member
USING account
WHERE space_id = ? AND account.id = ? AND who = ANY(ARRAY(SELECT account.id::text UNION SELECT
  encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex') UNION SELECT who FROM account_known_as WHERE
  account_id = account.id));
-- event: space.created
SELECT pg_notify(?, ?)::text;
-- rights of member
-- audit: space.create
commit;

-- getSpace: GET /api/project/{p}

-- updateSpace: PUT /api/project/{p}
update space
set name = ?, updated_at = now()
where id = ? and deleted_at is null
returning space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at;
-- event: space.updated
SELECT pg_notify(?, ?)::text;
-- audit: space.update

-- deleteSpace: DELETE /api/project/{p}
-- locks space
-- rights of member
update space
set deleted_at = now()
where id = ?;
delete from token
where space_id = ?;
-- event: space.deleted
SELECT pg_notify(?, ?)::text;
-- audit: space.delete

-- getCurrentRole: GET /api/project/{p}/currentRole
