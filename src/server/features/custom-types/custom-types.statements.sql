-- listCustomTypes: GET /api/project/{p}/app/{a}/customFieldType
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;

-- createCustomType: POST /api/project/{p}/app/{a}/customFieldType
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
insert into custom_type (space_id, app_id, public_id, uid, name, description, fields)
values (?, ?, ?, ?, ?, ?, ?)
returning *;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getCustomType: GET /api/project/{p}/app/{a}/customFieldType/{id}
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;

-- updateCustomType: PUT /api/project/{p}/app/{a}/customFieldType/{id}
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
update custom_type
set uid = ?, name = ?, description = ?, fields = ?, version = version + 1, updated_at = clock_timestamp()
where space_id = ? and id = ?
returning *;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- listCustomTypeChanges: GET /api/project/{p}/app/{a}/customFieldType/{id}/change
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.custom_type_id = ? AND change.ended_at IS NULL AND change.changed_at >
  now() - make_interval(days => ?)
ORDER BY change.version DESC;

-- takeBackCustomTypeChange: POST /api/project/{p}/app/{a}/customFieldType/{id}/change:takeBack
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.custom_type_id = ? AND change.ended_at IS NULL AND change.changed_at >
  now() - make_interval(days => ?)
ORDER BY change.version DESC;
update custom_type
set uid = ?, name = ?, description = ?, fields = ?, version = version + 1, updated_at = clock_timestamp()
where space_id = ? and id = ?
returning *;
update model_change
set ended_at = clock_timestamp()
where space_id = ? and custom_type_id = ? and custom_type_version = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- confirmCustomTypeChange: POST /api/project/{p}/app/{a}/customFieldType/{id}/change:confirm
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.custom_type_id = ? AND change.ended_at IS NULL AND change.changed_at >
  now() - make_interval(days => ?)
ORDER BY change.version DESC;
update model_change
set ended_at = clock_timestamp()
where space_id = ? and custom_type_id = ? and custom_type_version <= ? and ended_at is null;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.custom_type_id = ? AND change.ended_at IS NULL AND change.changed_at >
  now() - make_interval(days => ?)
ORDER BY change.version DESC;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteCustomType: DELETE /api/project/{p}/app/{a}/customFieldType/{id}
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
update model_change
set ended_at = coalesce(ended_at, clock_timestamp()), custom_type_id = ?, custom_type_version = ?
where space_id = ? and custom_type_id = ?;
delete from custom_type
where space_id = ? and id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- copyCustomType: POST /api/project/{p}/app/{a}/model/{m}/customFieldTypes
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_policy.version as policy, space_member.id as "memberId", space_member.role as "projectRole",
  space_member.signed_in_after, space_member.last_seen_at as "lastSeenAt", ( SELECT role.rights FROM role
  WHERE role.target = 'project' AND role.uid = space_member.role AND (role.space_id IS NULL OR role.space_id =
  space_member.space_id))::text as "projectRights", space_security.ip_ranges, space_security.session_hours,
  space_security.second_factor, space_security.sso_required, space_security.sso_exempt,
  space_security.trial_ends_at, space_security.ip_ranges_before, set_config('imori.space_id', space.id::text,
  true) || set_config('role', 'imori_member', true) as entered, app_member.role as "appRole", (SELECT
  role.rights FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)))::text as "appRights", (SELECT
  role.models FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)) AND role.app_id IS NOT NULL) as
  "appModels", app.id as "appId", app.uid as "appUid", app.name as "appName", app.description, app.icon,
  app.cover, app.visibility, app.default_role, app.created_at as "appCreatedAt", app.updated_at as
  "appUpdatedAt"
from space
inner join space_member on space_member.space_id = space.id
inner join space_policy on space_policy.space_id = space.id
left join space_security on space_security.space_id = space.id
left join app on app.space_id = space.id and app.uid = ? and app.deleted_at is null
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = space_member.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
insert into custom_type (space_id, app_id, public_id, uid, name, description, fields)
values (?, ?, ?, ?, ?, ?, ?)
returning *;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
