-- getGroupRoles: GET /api/project/{p}/groupRoles
select name, role
from group_role
where space_id = ?
order by position;
select default_role, version
from group_role_setting
where space_id = ?;
SELECT app.id
FROM app
WHERE app.space_id = ? AND app.deleted_at IS NULL AND (?::boolean OR app.visibility = 'open' OR EXISTS (SELECT
  FROM app_member WHERE app_member.space_id = app.space_id AND app_member.app_id = app.id AND
  app_member.member_id = ?));
select app.id as "appId", app.uid as app, group_app_role.name, group_app_role.role
from group_app_role
inner join app on app.space_id = group_app_role.space_id and app.id = group_app_role.app_id and app.deleted_at
  is null
where group_app_role.space_id = ?
order by app.position, app.id, group_app_role.position;

-- updateGroupRoles: PUT /api/project/{p}/groupRoles
select id
from space
where id = ? and deleted_at is null
for no key update;
select space_member.id as "memberId", space_member.role as "projectRole", app_member.role as "appRole", (
  SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role AND
  (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights", (SELECT
  role.rights FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)))::text as "appRights", ( SELECT
  array_agg(DISTINCT held)::text FROM app_member JOIN app ON app.space_id = app_member.space_id AND app.id =
  app_member.app_id AND app.deleted_at IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role
  AND (role.space_id IS NULL OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)),
  unnest(role.rights) AS held WHERE app_member.space_id = space_member.space_id AND app_member.member_id =
  space_member.id AND held = ANY(?::text[])) as "anyAppRights", (SELECT role.models FROM role WHERE
  role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR (role.space_id =
  app_member.space_id AND role.app_id = app_member.app_id)) AND role.app_id IS NOT NULL) as "appModels"
from space_member
left join app_member on app_member.space_id = space_member.space_id and app_member.member_id = space_member.id
  and app_member.app_id = ?
where space_member.space_id = ? and space_member.id = ?;
select name, role
from group_role
where space_id = ?
order by position;
select default_role, version
from group_role_setting
where space_id = ?;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int)) and uid
  = ?;
select space_member.id as "memberId", space_member.role as "projectRole", app_member.role as "appRole", (
  SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role AND
  (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights", (SELECT
  role.rights FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)))::text as "appRights", ( SELECT
  array_agg(DISTINCT held)::text FROM app_member JOIN app ON app.space_id = app_member.space_id AND app.id =
  app_member.app_id AND app.deleted_at IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role
  AND (role.space_id IS NULL OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)),
  unnest(role.rights) AS held WHERE app_member.space_id = space_member.space_id AND app_member.member_id =
  space_member.id AND held = ANY(?::text[])) as "anyAppRights", (SELECT role.models FROM role WHERE
  role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR (role.space_id =
  app_member.space_id AND role.app_id = app_member.app_id)) AND role.app_id IS NOT NULL) as "appModels"
from space_member
left join app_member on app_member.space_id = space_member.space_id and app_member.member_id = space_member.id
  and app_member.app_id = ?
where space_member.space_id = ? and space_member.id = ?;
delete from group_role
where space_id = ?;
insert into group_role (space_id, position, name, role)
values (?, ?, ?, ?);
insert into group_role_setting (space_id, default_role)
values (?, ?)
on conflict (space_id)
do update set default_role = ?, version = group_role_setting.version + 1, updated_at = now()
returning version;
SELECT app.id
FROM app
WHERE app.space_id = ? AND app.deleted_at IS NULL AND (?::boolean OR app.visibility = 'open' OR EXISTS (SELECT
  FROM app_member WHERE app_member.space_id = app.space_id AND app_member.app_id = app.id AND
  app_member.member_id = ?));
select app.id as "appId", app.uid as app, group_app_role.name, group_app_role.role
from group_app_role
inner join app on app.space_id = group_app_role.space_id and app.id = group_app_role.app_id and app.deleted_at
  is null
where group_app_role.space_id = ?
order by app.position, app.id, group_app_role.position;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
