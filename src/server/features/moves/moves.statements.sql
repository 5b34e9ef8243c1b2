-- listMoves: GET /api/project/{p}/move
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
where move.space_id = ? and move.parent_id is null and move.updates IS DISTINCT
FROM move.id
order by move.created_at desc, move.id desc
limit ?;

-- createMove: POST /api/project/{p}/move
insert into move (space_id, id, file_name, file_size, created_by)
values (?, ?, ?, ?, ?);
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

-- createMoveKey: POST /api/project/{p}/move:key

-- getMove: GET /api/project/{p}/move/{id}
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

-- signMoveUpload: GET /api/project/{p}/move/{id}/signedUrl
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

-- confirmMoveUpload: POST /api/project/{p}/move/{id}/signedUrl
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

-- getMovePlan: GET /api/project/{p}/move/{id}/plan
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
select plan
from move
where space_id = ? and id = ?;
select id
from app
where space_id = ? and uid = ? and deleted_at is null;

-- updateMovePlan: PUT /api/project/{p}/move/{id}/plan
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
select plan
from move
where space_id = ? and id = ?;
select id
from app
where space_id = ? and uid = ? and deleted_at is null;
select id
from app
where space_id = ? and uid = ? and deleted_at is null;
update move
set id = ?, plan = ?
where space_id = ? and id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getMoveApps: GET /api/project/{p}/move/{id}/apps
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
select id, state, part, chosen, plan, app_id as "appId", report
from move
where space_id = ? and parent_id = ?
order by part_position;
select app_links
from move
where space_id = ? and id = ?;

-- updateMoveApps: PUT /api/project/{p}/move/{id}/apps
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
select id, state, part, chosen, plan, app_id as "appId", report
from move
where space_id = ? and parent_id = ?
order by part_position;
select id, state, part, chosen, plan, app_id as "appId", report
from move
where space_id = ? and parent_id = ?
order by part_position;
select app_links
from move
where space_id = ? and id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- startMove: POST /api/project/{p}/move/{id}/start
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
select plan
from move
where space_id = ? and id = ?;
select id
from app
where space_id = ? and uid = ? and deleted_at is null;
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
delete from carry_model
where space_id = ? and carry_id = ?;
delete from carry_asset
where space_id = ? and carry_id = ?;
insert into carry_model (space_id, carry_id, model, model_id, total)
values (?, ?, ?, ?, ?);
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
update move
set id = ?, state = ?, app_id = ?, report = ?, job_id = ?, started_at = ?, finished_at = ?
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

-- cancelMove: POST /api/project/{p}/move/{id}/cancel
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

-- retryMove: POST /api/project/{p}/move/{id}/retry
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

-- undoMove: POST /api/project/{p}/move/{id}/undo
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

-- acceptMove: POST /api/project/{p}/move/{id}/accept
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

-- deleteMove: DELETE /api/project/{p}/move/{id}
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
