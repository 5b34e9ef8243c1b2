-- Several times: select role by target
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;

-- Several times: select space_member
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM space_member WHERE space_id = ? GROUP BY
  role UNION ALL SELECT role, 0, true FROM group_role WHERE space_id = ? UNION ALL SELECT default_role, 0,
  true FROM group_role_setting WHERE space_id = ? UNION ALL SELECT role, count(*), false FROM invitation WHERE
  space_id = ? AND revoked_at IS NULL AND expires_at > now() AND (maximum_uses IS NULL OR uses < maximum_uses)
  GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;

-- Several times: select app_member
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;

-- listRoles: GET /api/project/{p}/role
-- select role by target
-- select space_member

-- createRole: POST /api/project/{p}/role
-- locks space
-- rights of member
-- select role by target
-- rights of member
insert into role (space_id, target, app_id, uid, name, description, rights, models)
values (?, ?, ?, ?, ?, ?, ?, ?);
-- event: role.created
-- select role by target
-- select space_member
-- audit: role.create

-- updateRole: PUT /api/project/{p}/role/{id}
-- locks space
-- rights of member
-- role
-- rights of member
-- select role by target
update role
set name = ?, description = ?, rights = ?, models = ?, version = version + 1, updated_at = now()
where space_id = ? and target = ? and role.app_id IS NOT DISTINCT
FROM ?::int and uid = ?;
-- event: role.updated
-- select role by target
-- select space_member
-- audit: role.update

-- deleteRole: DELETE /api/project/{p}/role/{id}
-- locks space
-- rights of member
-- role
-- rights of member
-- select space_member
delete from role
where space_id = ? and target = ? and role.app_id IS NOT DISTINCT
FROM ?::int and uid = ?;
-- event: role.deleted
-- audit: role.delete

-- listAppRoles: GET /api/project/{p}/app/{a}/role
-- select role by target
-- select app_member

-- createAppRole: POST /api/project/{p}/app/{a}/role
-- locks space
-- rights of member
-- select role by target
-- rights of member
insert into role (space_id, target, app_id, uid, name, description, rights, models)
values (?, ?, ?, ?, ?, ?, ?, ?);
-- event: role.created
-- select role by target
-- select app_member
-- audit: role.create

-- updateAppRole: PUT /api/project/{p}/app/{a}/role/{id}
-- locks space
-- rights of member
-- role
-- rights of member
-- select role by target
update role
set name = ?, description = ?, rights = ?, models = ?, version = version + 1, updated_at = now()
where space_id = ? and target = ? and role.app_id IS NOT DISTINCT
FROM ?::int and uid = ?;
-- event: role.updated
-- select role by target
-- select app_member
-- audit: role.update

-- deleteAppRole: DELETE /api/project/{p}/app/{a}/role/{id}
-- locks space
-- rights of member
-- role
-- rights of member
-- select app_member
update left_app
set role = ?
where space_id = ? and app_id = ? and role = ?;
delete from role
where space_id = ? and target = ? and role.app_id IS NOT DISTINCT
FROM ?::int and uid = ?;
-- event: role.deleted
-- audit: role.delete
