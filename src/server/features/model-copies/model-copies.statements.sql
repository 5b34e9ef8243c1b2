-- duplicateModel: POST /api/project/{p}/app/{a}/model/duplicate
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
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
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
insert into model (space_id, app_id, public_id, uid, name, description, fields, title_field, position)
values (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM model WHERE space_id = ? AND
  app_id = ?))
returning *;
insert into model_stat (space_id, model_id)
values (?, ?);
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
update model_stat
set documents = documents + ?, published = published + ?, version = version + 1
where space_id = ? and model_id = ?
returning pg_notify(?, ?)::text as told;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- importModel: POST /api/project/{p}/app/{a}/model:import
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
insert into model (space_id, app_id, public_id, uid, name, description, fields, title_field, position)
values (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM model WHERE space_id = ? AND
  app_id = ?))
returning *;
insert into model_stat (space_id, model_id)
values (?, ?);
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
update model_stat
set documents = documents + ?, published = published + ?, version = version + 1
where space_id = ? and model_id = ?
returning pg_notify(?, ?)::text as told;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
