-- Several times: select scim_connection
select id, last4, sends_mail, created_at, renewed_at, last_used_at
from scim_connection
where space_id = ?;

-- getScim: GET /api/project/{p}/scim
-- select scim_connection

-- createScim: POST /api/project/{p}/scim
-- locks space
-- rights of member
-- select scim_connection
insert into scim_connection (space_id, id, value_hash, last4, sends_mail, created_by)
values (?, ?, ?, ?, ?, ?)
on conflict (space_id)
do update set id = ?, value_hash = ?, last4 = ?, sends_mail = ?, created_by = ?, renewed_at = now(),
  last_used_at = ?
returning id, last4, sends_mail, created_at, renewed_at, last_used_at;
-- audit: scim.refresh

-- updateScim: PUT /api/project/{p}/scim
-- locks space
-- rights of member
-- select scim_connection
update scim_connection
set sends_mail = ?
where space_id = ?
returning id, last4, sends_mail, created_at, renewed_at, last_used_at;
-- audit: scim.update

-- deleteScim: DELETE /api/project/{p}/scim
-- locks space
-- rights of member
-- select scim_connection
delete from scim_connection
where space_id = ?
returning id;
delete from scim_group
where space_id = ?;
delete from scim_user
where space_id = ?;
-- audit: scim.delete
