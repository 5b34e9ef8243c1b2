-- listSpaces: GET /api/project
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at
from space_member
inner join space on space.id = space_member.space_id
where space_member.account_id = ? and space.deleted_at is null
order by space.created_at, space.id;

-- createSpace: POST /api/project
insert into space (uid, name)
values (?, ?)
returning space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at;
SELECT set_config('imori.space_id', ?::int::text, true) || set_config('role', 'imori_member', true);
SELECT space_member.id
FROM account AS owner
JOIN account ON lower(account.email) = lower(owner.email) AND account.provisioned_by = ?
JOIN space_member ON space_member.space_id = ? AND space_member.account_id = account.id
WHERE owner.id = ? AND owner.provisioned_by IS NULL AND owner.email_verified_at IS NOT NULL;
insert into space_member (space_id, id, account_id, role, signed_in_after)
values (?, ?, ?, ?, ?);
DELETE FROM removed_member
USING account
WHERE space_id = ? AND account.id = ? AND who = ANY(ARRAY[account.id::text,
  encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex')]);
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
