-- askForAccess: POST /api/project/{p}/accessRequest
INSERT INTO access_request (space_id, app_id, member_id, message)
SELECT space_id, id, ?, ?
FROM app
WHERE space_id = ? AND uid = ? AND deleted_at IS NULL AND visibility = 'private' AND NOT EXISTS (SELECT FROM
  app_member WHERE app_member.space_id = app.space_id AND app_member.app_id = app.id AND app_member.member_id
  = ?)
ON CONFLICT (space_id, app_id, member_id)
DO UPDATE SET message = excluded.message, created_at = now(), declined_at = NULL
WHERE access_request.declined_at < now() - make_interval(days => ?)
RETURNING app_id AS "appId", (SELECT name FROM app WHERE space_id = ? AND id = app_id) AS name;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- listAccessRequests: GET /api/project/{p}/app/{a}/accessRequest
select access_request.member_id as id, account.name, account.email, access_request.message,
  access_request.created_at as "createdAt"
from access_request
inner join space_member on space_member.space_id = access_request.space_id and space_member.id =
  access_request.member_id
inner join account on account.id = space_member.account_id
where access_request.space_id = ? and access_request.app_id = ? and access_request.declined_at is null
order by access_request.created_at, access_request.member_id
limit ?;

-- acceptAccessRequest: POST /api/project/{p}/app/{a}/accessRequest/{id}/accept
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
select access_request.member_id as id, account.name, account.email, access_request.message,
  access_request.created_at as "createdAt"
from access_request
inner join space_member on space_member.space_id = access_request.space_id and space_member.id =
  access_request.member_id
inner join account on account.id = space_member.account_id
where access_request.space_id = ? and access_request.app_id = ? and access_request.declined_at is null and
  access_request.member_id = ?;
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
delete from access_request
where space_id = ? and app_id = ? and member_id = ?;
insert into app_member (space_id, app_id, member_id, role)
values (?, ?, ?, ?)
on conflict do nothing
returning member_id;
select space_member.id, space_member.account_id as "accountId", account.name, account.email, account.icon_id
  as "iconId", space_member.last_seen_at as "lastSeenAt", account.provisioned_by IS NOT NULL as provisioned,
  array_remove(ARRAY[ CASE WHEN EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id =
  space_member.account_id AND sso_identity.space_id = space_member.space_id) THEN 'sso' END, CASE WHEN EXISTS
  (SELECT FROM scim_user WHERE scim_user.space_id = space_member.space_id AND scim_user.member_id =
  space_member.id) THEN 'scim' END], NULL) as identities, app_member.role, app_member.created_at as
  "createdAt"
from space_member
inner join account on account.id = space_member.account_id
inner join app_member on app_member.space_id = space_member.space_id and app_member.member_id =
  space_member.id
where space_member.space_id = ? and app_member.app_id = ? and space_member.id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- declineAccessRequest: POST /api/project/{p}/app/{a}/accessRequest/{id}/decline
select access_request.member_id as id, account.name, account.email, access_request.message,
  access_request.created_at as "createdAt"
from access_request
inner join space_member on space_member.space_id = access_request.space_id and space_member.id =
  access_request.member_id
inner join account on account.id = space_member.account_id
where access_request.space_id = ? and access_request.app_id = ? and access_request.declined_at is null and
  access_request.member_id = ?;
update access_request
set declined_at = now()
where space_id = ? and app_id = ? and member_id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
