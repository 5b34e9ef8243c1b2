-- listAppImports: GET /api/project/{p}/app/{a}/import
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.app_id = ? and move.updates = move.id
order by move.created_at desc, move.id desc
limit ?;

-- importApp: POST /api/project/{p}/app/{a}/import
select count(*) as count
from move
inner join job on job.id = move.job_id
where move.space_id = ? and move.state = ? and job.state in (?, …);
insert into move (space_id, id, file_name, file_size, created_by, import_url, updates, app_id)
values (?, ?, ?, ?, ?, ?, ?, ?);
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
update move
set id = ?, state = ?, job_id = ?
where space_id = ? and id = ?;
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- planAppImport: POST /api/project/{p}/app/{a}/planImport
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select count(*) as count
from move
inner join job on job.id = move.job_id
where move.space_id = ? and move.state = ? and job.state in (?, …);
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select count(*) as count
from move
inner join job on job.id = move.job_id
where move.space_id = ? and move.state = ? and job.state in (?, …);
insert into move (space_id, id, file_name, file_size, created_by, updates, app_id)
values (?, ?, ?, ?, ?, ?, ?);
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
update move
set id = ?, state = ?, job_id = ?
where space_id = ? and id = ?;
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- beginAppImport: POST /api/project/{p}/app/{a}/import:upload
insert into move (space_id, id, file_name, file_size, created_by, updates, app_id)
values (?, ?, ?, ?, ?, ?, ?);
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getAppImport: GET /api/project/{p}/app/{a}/import/{id}
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;

-- signAppImportUpload: GET /api/project/{p}/app/{a}/import/{id}/signedUrl
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;
rollback;

-- confirmAppImportUpload: POST /api/project/{p}/app/{a}/import/{id}/signedUrl
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?
for update of move;
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getAppImportChanges: GET /api/project/{p}/app/{a}/import/{id}/changes
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;
select changes
from move
where space_id = ? and id = ?;
select *
from app
where space_id = ? and id = ? and deleted_at is null;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select model_id as "modelId", kind, takes, outcome, count(*) as count
from move_change
where move_change.space_id = ? and move_change.move_id = ?
group by model_id, kind, takes, outcome
order by model_id, kind, takes, outcome;
SELECT kind, takes, outcome, problem, count(*)::int AS count, (array_agg(jsonb_build_object('_id', asset_id,
  'fileName', file_name) ORDER BY asset_id))[1:10] AS examples
FROM move_file
WHERE space_id = ? AND move_id = ?
GROUP BY kind, takes, outcome, problem
ORDER BY kind, outcome, problem;

-- listAppImportDocuments: GET /api/project/{p}/app/{a}/import/{id}/changes/documents
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;
select move_change.document_id as id, model.uid as model, title, kind, takes, outcome, problem
from move_change
inner join model on model.space_id = move_change.space_id and model.id = move_change.model_id
where move_change.space_id = ? and move_change.move_id = ?
order by move_change.model_id, move_change.document_id
limit ?
offset ?;
select count(*) as total
from move_change
where move_change.space_id = ? and move_change.move_id = ?;

-- chooseAppImportChanges: PUT /api/project/{p}/app/{a}/import/{id}/changes
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?
for update of move;
select *
from app
where space_id = ? and id = ? and deleted_at is null;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select changes
from move
where space_id = ? and id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- startAppImport: POST /api/project/{p}/app/{a}/import/{id}/start
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?
for update of move;
SELECT kind, takes, outcome, problem, count(*)::int AS count, (array_agg(jsonb_build_object('_id', asset_id,
  'fileName', file_name) ORDER BY asset_id))[1:10] AS examples
FROM move_file
WHERE space_id = ? AND move_id = ?
GROUP BY kind, takes, outcome, problem
ORDER BY kind, outcome, problem;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
update move
set id = ?, state = ?, report = ?, job_id = ?, started_at = ?, finished_at = ?
where space_id = ? and id = ?;
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- cancelAppImport: POST /api/project/{p}/app/{a}/import/{id}/cancel
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?
for update of move;
rollback;

-- retryAppImport: POST /api/project/{p}/app/{a}/import/{id}/retry
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?
for update of move;
rollback;

-- deleteAppImport: DELETE /api/project/{p}/app/{a}/import/{id}
select move.id, move.state, move.file_name as "fileName", move.file_size as "fileSize", move.import_url as
  "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report, move.job_id as
  "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as "finishedAt",
  move.created_by, account.name as creator, account.language, CASE WHEN move.state <> ALL(?::text[]) OR
  job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN '{code: cancelled,
  message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message: ""}'::jsonb) END as
  stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures, job.error,
  job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >=
  job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) /
  job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
  coalesce(jsonb_agg(jsonb_build_object('_id', app.id, 'chosen', app.chosen, 'kind',
  app.plan->'source'->'kind', 'uid', app.plan->'app'->'uid', 'name', app.plan->'app'->'name') ORDER BY
  app.part_position), '[]') FROM move AS app WHERE app.space_id = move.space_id AND app.parent_id = move.id)
  as apps, ARRAY(SELECT app.id FROM move AS made JOIN app ON app.space_id = made.space_id AND app.id =
  made.app_id AND app.deleted_at IS NULL WHERE made.space_id = move.space_id AND (made.id = move.id OR
  made.parent_id = move.id)) as "appIds", coalesce(move.changes, move.plan)->'source' as source,
  coalesce(move.changes, move.plan)->'app' as app, coalesce(move.changes, move.plan)->'counts' as counts
from move
left join job on job.id = move.job_id
left join account on account.id = move.created_by
where move.space_id = ? and move.id = ?
for update of move;
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
select id, state
from move
where space_id = ? and updates = ? and id <> ? and state not in (?, …);
delete from carry_model
where space_id = ? and carry_id = ?;
delete from carry_asset
where space_id = ? and carry_id = ?;
delete from move
where space_id = ? and id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
