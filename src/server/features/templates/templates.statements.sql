-- Several times: select app_view by app_id
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;

-- Several times: select role by target
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int))
order by space_id asc nulls first, position, created_at, uid;

-- Several times: select app_member
SELECT role, sum(members)::int AS members, bool_or(is_default) AS "isDefault"
FROM ( SELECT role, count(*) AS members, false AS is_default FROM app_member WHERE space_id = ? AND app_id =
  ?::int GROUP BY role UNION ALL SELECT role, 0, true FROM group_app_role WHERE space_id = ? AND app_id =
  ?::int UNION ALL SELECT default_role, 0, true FROM app WHERE space_id = ? AND id = ?::int UNION ALL SELECT
  app_role, count(*), false FROM invitation WHERE space_id = ? AND revoked_at IS NULL AND expires_at > now()
  AND (maximum_uses IS NULL OR uses < maximum_uses) AND app_id = ?::int GROUP BY 1 ) AS used
WHERE role IS NOT NULL
GROUP BY role;

-- Several times: select app_picture by app_id, kind
select id, media_type, bytes
from app_picture
where space_id = ? and app_id = ? and kind = ?;

-- Several times: select app_template by id
select template.id, template.version, template.app_id as "appId", template.name, template.description,
  template.has_documents as "hasDocuments", template.parts as parts, template.counts, template.storage,
  template.job_id as "jobId", ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
  WHERE version.space_id = template.space_id AND version.id = template.id) as makers, template.created_at as
  "createdAt", template.created_by, account.name as creator, coalesce(job.state IN ('failed', 'stopped',
  'cancelled'), true) as stopped
from app_template as template
left join job on job.id = template.job_id
left join account on account.id = template.created_by
where template.space_id = ? and template.id = ? and CASE WHEN EXISTS (SELECT FROM app WHERE app.space_id =
  template.space_id AND app.id = template.app_id AND app.deleted_at IS NULL) THEN EXISTS (SELECT FROM app
  WHERE app.space_id = template.space_id AND app.id = template.app_id AND app.deleted_at IS NULL AND
  (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM app_member AS own WHERE own.space_id = app.space_id
  AND own.app_id = app.id AND own.member_id = ?))))) ELSE ? OR ? = (SELECT newest.created_by FROM app_template
  AS newest WHERE newest.space_id = template.space_id AND newest.id = template.id AND newest.parts IS NOT NULL
  ORDER BY newest.version DESC LIMIT 1) END and template.parts is not null
order by template.version desc
limit ?;

-- Several times: select app_template by app_id
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

-- Several times: select app_origin by app_id for no key update
select template, version, carry_id as "carryId", language as language, parts as parts, undo as undo
from app_origin
where space_id = ? and app_id = ?
for no key update;

-- Several times: update app_origin by app_id
update app_origin
set version = ?, parts = ?, undo = ?, updated_at = clock_timestamp()
where space_id = ? and app_id = ?;

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
where template.space_id = ? and CASE WHEN EXISTS (SELECT FROM app WHERE app.space_id = template.space_id AND
  app.id = template.app_id AND app.deleted_at IS NULL) THEN EXISTS (SELECT FROM app WHERE app.space_id =
  template.space_id AND app.id = template.app_id AND app.deleted_at IS NULL AND (app.visibility = 'open' OR
  ((? OR EXISTS (SELECT FROM app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND
  own.member_id = ?))))) ELSE ? OR ? = (SELECT newest.created_by FROM app_template AS newest WHERE
  newest.space_id = template.space_id AND newest.id = template.id AND newest.parts IS NOT NULL ORDER BY
  newest.version DESC LIMIT 1) END and template.parts is not null and NOT EXISTS (SELECT FROM app_template AS
  newer WHERE newer.space_id = template.space_id AND newer.id = template.id AND newer.version >
  template.version AND newer.parts IS NOT NULL)
order by template.created_at desc, template.id;

-- getAppTemplateCover: GET /api/project/{p}/appTemplate/{t}/cover

-- duplicateApp: POST /api/project/{p}/app/{a}/duplicate
-- models of app
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
-- models of app
-- select app_view by app_id
-- models of app
-- select role by target
-- select app_member
-- select app_picture by app_id, kind
-- select app_picture by app_id, kind
-- custom types of app
-- locks space
-- rights of member
select uid
from app
where space_id = ? and deleted_at is null;
-- locks space
-- rights of member
insert into app (space_id, uid, name, description, icon, position)
values (?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM app WHERE space_id = ?))
returning *;
-- event: app.created
SELECT pg_notify(?, ?)::text;
-- joins app
-- event: member.joinedApp
-- rights of member
insert into custom_type (space_id, app_id, public_id, uid, name, description, fields)
values (?, ?, ?, ?, ?, ?, ?)
returning *;
-- event: customType.created
SELECT pg_notify(?, ?)::text;
insert into model (space_id, app_id, public_id, uid, name, description, fields, title_field, position)
values (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM model WHERE space_id = ? AND
  app_id = ?))
returning *;
insert into model_stat (space_id, model_id)
values (?, ?);
-- event: model.created
SELECT pg_notify(?, ?)::text;
-- counts documents
-- locks space
-- rights of member
-- select role by target
-- rights of member
insert into role (space_id, target, app_id, uid, name, description, rights, models)
values (?, ?, ?, ?, ?, ?, ?, ?);
-- event: role.created
-- select role by target
-- select app_member
-- select role by target
-- select app_member
-- locks space
-- rights of member
update app
set visibility = ?, default_role = ?, updated_at = now()
where space_id = ? and id = ? and deleted_at is null
returning *;
-- event: app.updated
SELECT pg_notify(?, ?)::text;
insert into carry_model (space_id, carry_id, model, model_id, total)
values (?, ?, ?, ?, ?);
-- job: templates.fill
-- audit: app.duplicate

-- deleteAppTemplate: DELETE /api/project/{p}/appTemplate/{t}
-- select app_template by id
delete from app_template
where space_id = ? and id = ?;
-- job: templates.cleanUp
-- audit: template.delete

-- listTemplateVersions: GET /api/project/{p}/app/{a}/template
-- select app_template by app_id

-- saveTemplate: POST /api/project/{p}/app/{a}/template
-- locks space
-- rights of member
-- select app_template by app_id
-- job: templates.save
insert into app_template (space_id, id, version, app_id, name, description, has_documents, job_id, created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?);
-- select app_template by app_id
-- audit: template.save

-- getTemplateVersion: GET /api/project/{p}/app/{a}/template/{version}
-- select app_template by app_id

-- deleteTemplateVersion: DELETE /api/project/{p}/app/{a}/template/{version}
-- select app_template by app_id
delete from app_template
where space_id = ? and id = ? and version = ?;
-- job: templates.cleanUp
-- audit: template.delete

-- deleteTemplate: DELETE /api/project/{p}/app/{a}/template
-- select app_template by app_id
delete from app_template
where space_id = ? and id = ?;
-- job: templates.cleanUp
-- audit: template.delete

-- getTemplateUpdate: GET /api/project/{p}/app/{a}/templateUpdate
select template, version, carry_id as "carryId", language as language, parts as parts, undo as undo
from app_origin
where space_id = ? and app_id = ?;
-- rights of member
-- select app_template by id
-- models of app
-- select app_view by app_id
-- models of app
-- select role by target
-- select app_member
-- select app_picture by app_id, kind
-- select app_picture by app_id, kind
-- custom types of app

-- applyTemplateUpdate: POST /api/project/{p}/app/{a}/templateUpdate
commit;
begin;
-- enters space
-- locks app
-- models of app
-- custom types of app
-- select app_origin by app_id for no key update
-- rights of member
-- select app_template by id
-- models of app
-- select app_view by app_id
-- models of app
-- select role by target
-- select app_member
-- select app_picture by app_id, kind
-- select app_picture by app_id, kind
-- custom types of app
-- select app_view by app_id
-- models of app
-- models of app
-- select app_view by app_id
-- models of app
-- select role by target
-- select app_member
-- select app_picture by app_id, kind
-- select app_picture by app_id, kind
-- custom types of app
-- update app_origin by app_id
-- audit: app.templateUpdate

-- undoTemplateUpdate: POST /api/project/{p}/app/{a}/templateUpdate:undo
commit;
begin;
-- enters space
-- locks app
-- models of app
-- custom types of app
-- select app_origin by app_id for no key update
-- models of app
-- select app_view by app_id
-- models of app
-- select role by target
-- select app_member
-- select app_picture by app_id, kind
-- select app_picture by app_id, kind
-- custom types of app
-- select app_view by app_id
-- models of app
-- models of app
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
-- models of app
-- select app_view by app_id
-- models of app
-- select role by target
-- select app_member
-- select app_picture by app_id, kind
-- select app_picture by app_id, kind
-- custom types of app
-- update app_origin by app_id
-- audit: app.templateUndo

-- acceptTemplateUpdate: POST /api/project/{p}/app/{a}/templateUpdate:accept
-- select app_origin by app_id for no key update
-- update app_origin by app_id
-- audit: app.templateAccept
