-- Several times: select app_export by app_id
select app_export.id, app_export.app_id as "appId", app_export.options, app_export.missing,
  app_export.event_id as "eventId", app_export.file_name as "fileName", app_export.file_size as "fileSize",
  app_export.created_at as "createdAt", app_export.finished_at as "finishedAt", app_export.expires_at as
  "expiresAt", app_export.created_by, account.name as creator, coalesce(app_export.expires_at < now(), false)
  as "hasExpired", job.id as "jobId", job.state as "jobState", job.error as "jobError", job.done, job.total,
  job.unit, job.failures, job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND
  job.done > 0 AND job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() -
  job.started_at) * (job.total - job.done) / job.done), 2e9)::int END as "secondsLeft"
from app_export
left join job on job.id = app_export.job_id
left join account on account.id = app_export.created_by
where app_export.space_id = ? and app_export.app_id = ?
order by app_export.created_at desc, app_export.id desc
limit ?;

-- Several times: select job by name, state
SELECT (payload ->> 'appId')::int AS app
FROM job
WHERE space_id = ? AND name = ? AND state IN ('waiting', 'running');

-- Several times: select move by kind, state
SELECT move.app_id AS app
FROM move
LEFT JOIN move AS whole ON whole.space_id = move.space_id AND whole.id = move.parent_id
JOIN job ON job.id = coalesce(whole.job_id, move.job_id)
WHERE move.space_id = ? AND move.state = 'importing' AND move.kind IN ('contents', 'carried') AND move.app_id
  IS NOT NULL AND job.state IN ('waiting', 'running');

-- Several times: select event
select max(id) as id
from event
where space_id = ?;

-- Several times: select app_export
select app_export.id, app_export.app_id as "appId", app_export.options, app_export.missing,
  app_export.event_id as "eventId", app_export.file_name as "fileName", app_export.file_size as "fileSize",
  app_export.created_at as "createdAt", app_export.finished_at as "finishedAt", app_export.expires_at as
  "expiresAt", app_export.created_by, account.name as creator, coalesce(app_export.expires_at < now(), false)
  as "hasExpired", job.id as "jobId", job.state as "jobState", job.error as "jobError", job.done, job.total,
  job.unit, job.failures, job.cancel_requested as "cancelRequested", CASE WHEN job.state = 'running' AND
  job.done > 0 AND job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() -
  job.started_at) * (job.total - job.done) / job.done), 2e9)::int END as "secondsLeft"
from app_export
left join job on job.id = app_export.job_id
left join account on account.id = app_export.created_by
where app_export.space_id = ? and app_export.app_id IS NULL
order by app_export.created_at desc, app_export.id desc
limit ?;

-- getAppExport: GET /api/project/{p}/app/{a}/export
-- select app_export by app_id
-- select app_export by app_id
-- select job by name, state
-- select move by kind, state
-- job: appExports.write
-- select event
delete from app_export
where space_id = ? and app_export.app_id = ?;
insert into app_export (space_id, app_id, id, event_id, options, file_name, created_by, job_id)
values (?, ?, ?, ?, ?, ?, ?, ?);
-- select app_export by app_id
-- audit: app.export

-- startAppExport: POST /api/project/{p}/app/{a}/export
-- select app_export by app_id
-- select job by name, state
-- select move by kind, state
-- job: appExports.write
-- select event
delete from app_export
where space_id = ? and app_export.app_id = ?;
insert into app_export (space_id, app_id, id, event_id, options, file_name, created_by, job_id)
values (?, ?, ?, ?, ?, ?, ?, ?);
-- select app_export by app_id
-- audit: app.export

-- getAppExportFile: GET /api/project/{p}/app/{a}/export/file
commit;
begin;
-- enters space
-- select app_export by app_id
rollback;

-- getSpaceExport: GET /api/project/{p}/export
-- select app_export

-- startSpaceExport: POST /api/project/{p}/export
select app.id, app.name, coalesce(sum(documents), 0) as documents
from app
left join model on model.space_id = app.space_id and model.app_id = app.id and model.deleted_at is null
left join model_stat on model_stat.model_id = model.id
where app.space_id = ? and app.deleted_at is null
group by app.id, app.name, app.position
order by app.position, app.id;
-- select app_export
-- select job by name, state
-- select move by kind, state
-- job: appExports.write
-- select event
delete from app_export
where space_id = ? and app_export.app_id IS NULL;
insert into app_export (space_id, app_id, id, event_id, options, file_name, created_by, job_id)
values (?, ?, ?, ?, ?, ?, ?, ?);
-- select app_export
-- audit: space.export

-- getSpaceExportFile: GET /api/project/{p}/export/file
commit;
begin;
-- enters space
-- select app_export
rollback;
