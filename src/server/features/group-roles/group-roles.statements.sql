-- Several times: select app
SELECT app.id
FROM app
WHERE app.space_id = ? AND app.deleted_at IS NULL AND (?::boolean OR app.visibility = 'open' OR EXISTS (SELECT
  FROM app_member WHERE app_member.space_id = app.space_id AND app_member.app_id = app.id AND
  app_member.member_id = ?));

-- Several times: select group_app_role
select app.id as "appId", app.uid as app, group_app_role.name, group_app_role.role
from group_app_role
inner join app on app.space_id = group_app_role.space_id and app.id = group_app_role.app_id and app.deleted_at
  is null
where group_app_role.space_id = ?
order by app.position, app.id, group_app_role.position;

-- getGroupRoles: GET /api/project/{p}/groupRoles
select name, role
from group_role
where space_id = ?
order by position;
select default_role, version
from group_role_setting
where space_id = ?;
-- select app
-- select group_app_role

-- updateGroupRoles: PUT /api/project/{p}/groupRoles
-- locks space
-- rights of member
select name, role
from group_role
where space_id = ?
order by position;
select default_role, version
from group_role_setting
where space_id = ?;
-- role
-- rights of member
select distinct space_member.role
from sso_identity
inner join space_member on space_member.space_id = sso_identity.space_id and space_member.account_id =
  sso_identity.account_id
where sso_identity.space_id = ?;
-- select group_app_role
delete from group_role
where space_id = ?;
insert into group_role (space_id, position, name, role)
values (?, ?, ?, ?);
insert into group_role_setting (space_id, default_role)
values (?, ?)
on conflict (space_id)
do update set default_role = ?, version = group_role_setting.version + 1, updated_at = now()
returning version;
-- select app
-- select group_app_role
select id, name
from scim_group
where space_id = ?;
-- audit: security.groupRoles
