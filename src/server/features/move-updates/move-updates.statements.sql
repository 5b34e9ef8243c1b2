-- getMoveChanges: GET /api/project/{p}/move/{id}/changes
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

-- listChangedDocuments: GET /api/project/{p}/move/{id}/changes/documents
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

-- chooseMoveChanges: PUT /api/project/{p}/move/{id}/changes
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
