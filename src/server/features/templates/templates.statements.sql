-- listAppTemplates: GET /api/project/{p}/appTemplate
select uid
from app
where space_id = ? and deleted_at is null;
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.parts is not null and NOT EXISTS (SELECT FROM app_template AS newer
  WHERE newer.space_id = template.space_id AND newer.id = template.id AND newer.version > template.version AND
  newer.parts IS NOT NULL)
order by template.created_at desc, template.id;

-- getAppTemplateCover: GET /api/project/{p}/appTemplate/{t}/cover

-- duplicateApp: POST /api/project/{p}/app/{a}/duplicate
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
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
select uid
from app
where space_id = ? and deleted_at is null;
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
insert into app (space_id, uid, name, description, icon, position)
values (?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM app WHERE space_id = ?))
returning *;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
insert into app_member (space_id, app_id, member_id, role)
values (?, ?, ?, ?)
on conflict do nothing
returning member_id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
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
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;
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
insert into role (space_id, target, app_id, uid, name, description, rights, models)
values (?, ?, ?, ?, ?, ?, ?, ?);
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;
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
update app
set visibility = ?, default_role = ?, updated_at = now()
where space_id = ? and id = ? and deleted_at is null
returning *;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
insert into carry_model (space_id, carry_id, model, model_id, total)
values (?, ?, ?, ?, ?);
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteAppTemplate: DELETE /api/project/{p}/appTemplate/{t}
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.id = ? and template.parts is not null
order by template.version desc
limit ?;
delete from app_template
where space_id = ? and id = ?;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- listTemplateVersions: GET /api/project/{p}/app/{a}/template
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.app_id = ?
order by template.version desc;

-- saveTemplate: POST /api/project/{p}/app/{a}/template
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
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.app_id = ?
order by template.version desc;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
insert into app_template (space_id, id, version, app_id, name, description, has_documents, job_id, created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?);
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.app_id = ?
order by template.version desc;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getTemplateVersion: GET /api/project/{p}/app/{a}/template/{version}
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.app_id = ?
order by template.version desc;

-- deleteTemplateVersion: DELETE /api/project/{p}/app/{a}/template/{version}
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.app_id = ?
order by template.version desc;
delete from app_template
where space_id = ? and id = ? and version = ?;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteTemplate: DELETE /api/project/{p}/app/{a}/template
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.app_id = ?
order by template.version desc;
delete from app_template
where space_id = ? and id = ?;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getTemplateUpdate: GET /api/project/{p}/app/{a}/templateUpdate
select template, version, carry_id as "carryId", language as language, parts as parts, undo as undo
from app_origin
where space_id = ? and app_id = ?;
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.id = ? and template.parts is not null
order by template.version desc
limit ?;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;

-- applyTemplateUpdate: POST /api/project/{p}/app/{a}/templateUpdate
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
select template, version, carry_id as "carryId", language as language, parts as parts, undo as undo
from app_origin
where space_id = ? and app_id = ?
for no key update;
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.id = ? and template.parts is not null
order by template.version desc
limit ?;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
update app_origin
set version = ?, parts = ?, undo = ?, updated_at = clock_timestamp()
where space_id = ? and app_id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- undoTemplateUpdate: POST /api/project/{p}/app/{a}/templateUpdate:undo
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
select template, version, carry_id as "carryId", language as language, parts as parts, undo as undo
from app_origin
where space_id = ? and app_id = ?
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
update app_origin
set version = ?, parts = ?, undo = ?, updated_at = clock_timestamp()
where space_id = ? and app_id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- acceptTemplateUpdate: POST /api/project/{p}/app/{a}/templateUpdate:accept
select template, version, carry_id as "carryId", language as language, parts as parts, undo as undo
from app_origin
where space_id = ? and app_id = ?
for no key update;
update app_origin
set version = ?, parts = ?, undo = ?, updated_at = clock_timestamp()
where space_id = ? and app_id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
