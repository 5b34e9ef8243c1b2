-- Several times: select move by state
select count(*) as count
from move
inner join job on job.id = move.job_id
where move.space_id = ? and move.state = ? and job.state in (?, …);

-- Several times: select archives_of
SELECT count, bytes
FROM archives_of(?, ?);

-- Several times: select move by id
select move.id, move.kind, move.state, move.file_name as "fileName", move.file_size as "fileSize",
  move.import_url as "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report,
  move.job_id as "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as
  "finishedAt", move.created_by, account.name as creator, account.language, CASE WHEN move.state <>
  ALL(?::text[]) OR job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN
  '{code: cancelled, message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message:
  ""}'::jsonb) END as stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures,
  job.error, job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND
  job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total -
  job.done) / job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
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

-- Several times: select move by id (2)
select move.id, move.kind, move.state, move.file_name as "fileName", move.file_size as "fileSize",
  move.import_url as "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report,
  move.job_id as "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as
  "finishedAt", move.created_by, account.name as creator, account.language, CASE WHEN move.state <>
  ALL(?::text[]) OR job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN
  '{code: cancelled, message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message:
  ""}'::jsonb) END as stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures,
  job.error, job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND
  job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total -
  job.done) / job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
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

-- Several times: select move by id (3)
select changes
from move
where space_id = ? and id = ?;

-- Several times: select move_file by move_id
SELECT kind, takes, outcome, problem, count(*)::int AS count, (array_agg(jsonb_build_object('_id', asset_id,
  'fileName', file_name) ORDER BY asset_id))[1:10] AS examples
FROM move_file
WHERE space_id = ? AND move_id = ?
GROUP BY kind, takes, outcome, problem
ORDER BY kind, outcome, problem;

-- Several times: select move by id (4)
select plan
from move
where space_id = ? and id = ?;

-- Several times: select app by uid
select id
from app
where space_id = ? and uid = ? and deleted_at is null;

-- Several times: select move by parent_id
select id, kind, state, part, chosen, plan, app_id as "appId", report
from move
where space_id = ? and parent_id = ?
order by part_position;

-- listAppImports: GET /api/project/{p}/app/{a}/import
select move.id, move.kind, move.state, move.file_name as "fileName", move.file_size as "fileSize",
  move.import_url as "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report,
  move.job_id as "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as
  "finishedAt", move.created_by, account.name as creator, account.language, CASE WHEN move.state <>
  ALL(?::text[]) OR job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN
  '{code: cancelled, message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message:
  ""}'::jsonb) END as stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures,
  job.error, job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND
  job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total -
  job.done) / job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
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
where move.space_id = ? and move.app_id = ? and move.kind = ?
order by move.created_at desc, move.id desc
limit ?;

-- importApp: POST /api/project/{p}/app/{a}/import
-- select move by state
SELECT pg_advisory_xact_lock(hashtextextended(?, 0));
SELECT checks_of(?) AS count;
SELECT pg_advisory_xact_lock(hashtextextended(?, 0));
-- select archives_of
insert into move (space_id, id, kind, file_name, file_size, created_by, import_url, updates, app_id)
values (?, ?, ?, ?, ?, ?, ?, ?, ?);
-- job: moves.check
update move
set id = ?, state = ?, job_id = ?
where space_id = ? and id = ?;
-- select move by id
-- audit: move.create

-- planAppImport: POST /api/project/{p}/app/{a}/planImport
commit;
begin;
-- enters space
-- select move by state
SELECT pg_advisory_xact_lock(hashtextextended(?, 0));
SELECT checks_of(?) AS count;
SELECT pg_advisory_xact_lock(hashtextextended(?, 0));
-- select archives_of
commit;
begin;
-- enters space
-- select move by state
SELECT pg_advisory_xact_lock(hashtextextended(?, 0));
SELECT checks_of(?) AS count;
SELECT pg_advisory_xact_lock(hashtextextended(?, 0));
-- select archives_of
insert into move (space_id, id, kind, file_name, file_size, created_by, updates, app_id)
values (?, ?, ?, ?, ?, ?, ?, ?);
-- job: moves.check
update move
set id = ?, state = ?, job_id = ?
where space_id = ? and id = ?;
-- select move by id
-- audit: move.create

-- beginAppImport: POST /api/project/{p}/app/{a}/import:upload
SELECT pg_advisory_xact_lock(hashtextextended(?, 0));
-- select archives_of
insert into move (space_id, id, kind, file_name, file_size, created_by, updates, app_id)
values (?, ?, ?, ?, ?, ?, ?, ?);
-- select move by id
-- audit: move.create

-- getAppImport: GET /api/project/{p}/app/{a}/import/{id}
-- select move by id

-- signAppImportUpload: GET /api/project/{p}/app/{a}/import/{id}/signedUrl
-- select move by id
rollback;

-- confirmAppImportUpload: POST /api/project/{p}/app/{a}/import/{id}/signedUrl
-- select move by id (2)
-- select move by id
-- audit: move.check

-- getAppImportChanges: GET /api/project/{p}/app/{a}/import/{id}/changes
-- select move by id
-- select move by id (3)
select *
from app
where space_id = ? and id = ? and deleted_at is null;
-- models of app
select model_id as "modelId", kind, takes, outcome, count(*) as count
from move_change
where move_change.space_id = ? and move_change.move_id = ?
group by model_id, kind, takes, outcome
order by model_id, kind, takes, outcome;
-- select move_file by move_id
-- select move by id (4)

-- listAppImportDocuments: GET /api/project/{p}/app/{a}/import/{id}/changes/documents
-- select move by id
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
-- select move by id
-- select move by id (2)
select *
from app
where space_id = ? and id = ? and deleted_at is null;
-- models of app
-- select move by id (3)
-- audit: move.plan

-- startAppImport: POST /api/project/{p}/app/{a}/import/{id}/start
-- select move by id (2)
-- select move_file by move_id
-- select move by id (3)
-- select move by id (4)
-- job: moves.import
update move
set id = ?, state = ?, report = ?, job_id = ?, started_at = ?, finished_at = ?
where space_id = ? and id = ?;
-- select move by id
-- audit: move.start

-- cancelAppImport: POST /api/project/{p}/app/{a}/import/{id}/cancel
-- select move by id (2)
rollback;

-- retryAppImport: POST /api/project/{p}/app/{a}/import/{id}/retry
-- select move by id (2)
rollback;

-- deleteAppImport: DELETE /api/project/{p}/app/{a}/import/{id}
-- select move by id (2)
-- rights of member
delete from carry_model
where space_id = ? and carry_id = ?;
delete from carry_asset
where space_id = ? and carry_id = ?;
delete from move
where space_id = ? and id = ?;
-- audit: move.delete

-- getMoveChanges: GET /api/project/{p}/move/{id}/changes
-- select move by id
rollback;

-- listChangedDocuments: GET /api/project/{p}/move/{id}/changes/documents
-- select move by id
rollback;

-- chooseMoveChanges: PUT /api/project/{p}/move/{id}/changes
-- select move by id
rollback;

-- listMoves: GET /api/project/{p}/move
select move.id, move.kind, move.state, move.file_name as "fileName", move.file_size as "fileSize",
  move.import_url as "importUrl", move.updates, move.problem as refusal, move.app_id as "appId", move.report,
  move.job_id as "jobId", move.created_at as "createdAt", move.started_at as "startedAt", move.finished_at as
  "finishedAt", move.created_by, account.name as creator, account.language, CASE WHEN move.state <>
  ALL(?::text[]) OR job.state IN ('waiting', 'running', 'done') THEN NULL WHEN job.state = 'cancelled' THEN
  '{code: cancelled, message: ""}'::jsonb ELSE coalesce(job.error, '{code: "JobInterrupted", message:
  ""}'::jsonb) END as stopped, job.state as "jobState", job.done, job.total, job.unit, job.failures,
  job.error, job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND job.done > 0 AND
  job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total -
  job.done) / job.done), 2e9)::int END as "secondsLeft", move.parent_id as "partOf", move.part, (SELECT
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
where move.space_id = ? and move.parent_id is null and move.kind <> ?
order by move.created_at desc, move.id desc
limit ?;

-- createMove: POST /api/project/{p}/move
SELECT pg_advisory_xact_lock(hashtextextended(?, 0));
-- select archives_of
insert into move (space_id, id, kind, file_name, file_size, created_by)
values (?, ?, ?, ?, ?, ?);
-- select move by id
-- audit: move.create

-- createMoveKey: POST /api/project/{p}/move:key

-- getMove: GET /api/project/{p}/move/{id}
-- select move by id

-- signMoveUpload: GET /api/project/{p}/move/{id}/signedUrl
-- select move by id
rollback;

-- confirmMoveUpload: POST /api/project/{p}/move/{id}/signedUrl
-- select move by id (2)
-- select move by id
-- audit: move.check

-- getMovePlan: GET /api/project/{p}/move/{id}/plan
-- select move by id
-- select move by id (4)
-- select app by uid

-- updateMovePlan: PUT /api/project/{p}/move/{id}/plan
-- select move by id
-- select move by id (2)
-- select move by id (4)
-- select app by uid
-- select app by uid
update move
set id = ?, plan = ?
where space_id = ? and id = ?;
-- audit: move.plan

-- getMoveApps: GET /api/project/{p}/move/{id}/apps
-- select move by id
-- select move by parent_id
select app_links
from move
where space_id = ? and id = ?;

-- updateMoveApps: PUT /api/project/{p}/move/{id}/apps
-- select move by id (2)
-- select move by parent_id
-- select move by parent_id
select app_links
from move
where space_id = ? and id = ?;
-- audit: move.plan

-- startMove: POST /api/project/{p}/move/{id}/start
-- select move by id (2)
-- select move by id (4)
-- select app by uid
insert into app (space_id, uid, name, description, icon, position)
values (?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM app WHERE space_id = ?))
returning *;
-- event: app.created
SELECT pg_notify(?, ?)::text;
-- joins app
-- event: member.joinedApp
-- rights of member
insert into model (space_id, app_id, public_id, uid, name, description, fields, title_field, position)
values (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM model WHERE space_id = ? AND
  app_id = ?))
returning *;
insert into model_stat (space_id, model_id)
values (?, ?);
-- event: model.created
SELECT pg_notify(?, ?)::text;
-- counts documents
delete from carry_model
where space_id = ? and carry_id = ?;
delete from carry_asset
where space_id = ? and carry_id = ?;
insert into carry_model (space_id, carry_id, model, model_id, total)
values (?, ?, ?, ?, ?);
-- job: moves.import
update move
set id = ?, state = ?, app_id = ?, report = ?, job_id = ?, started_at = ?, finished_at = ?
where space_id = ? and id = ?;
-- select move by id
-- audit: move.start

-- cancelMove: POST /api/project/{p}/move/{id}/cancel
-- select move by id (2)
rollback;

-- retryMove: POST /api/project/{p}/move/{id}/retry
-- select move by id (2)
rollback;

-- undoMove: POST /api/project/{p}/move/{id}/undo
-- select move by id (2)
rollback;

-- acceptMove: POST /api/project/{p}/move/{id}/accept
-- select move by id (2)
rollback;

-- deleteMove: DELETE /api/project/{p}/move/{id}
-- select move by id (2)
select id, state
from move
where space_id = ? and updates = ? and id <> ? and state not in (?, …);
delete from carry_model
where space_id = ? and carry_id = ?;
delete from carry_asset
where space_id = ? and carry_id = ?;
delete from move
where space_id = ? and id = ?;
-- audit: move.delete
