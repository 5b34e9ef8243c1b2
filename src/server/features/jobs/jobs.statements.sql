-- Several times: select job by id
select job.id, job.name, job.state, job.done, job.total, job.unit, job.cancel_requested, job.failures,
  job.error, job.created_at, job.run_at, job.started_at, job.finished_at, account.id as account_id,
  coalesce(nullif(account.name, ''), account.email) as account_name, CASE WHEN job.state = 'running' AND
  job.done > 0 AND job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() -
  job.started_at) * (job.total - job.done) / job.done), 2e9)::int END as seconds_left
from job
left join account on account.id = job.requested_by
where job.space_id = ? AND true AND job.id = ?
order by job.created_at desc, job.id desc
limit ?
offset ?;

-- Several times: select job by id (2)
select state, count(*) as count
from job
where job.space_id = ? AND true AND job.id = ?
group by state;

-- Several times: select job by id (3)
select job.id, job.name, job.state, job.done, job.total, job.unit, job.cancel_requested, job.failures,
  job.error, job.created_at, job.run_at, job.started_at, job.finished_at, account.id as account_id,
  coalesce(nullif(account.name, ''), account.email) as account_name, CASE WHEN job.state = 'running' AND
  job.done > 0 AND job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() -
  job.started_at) * (job.total - job.done) / job.done), 2e9)::int END as seconds_left, space.uid as space_uid,
  space.name as space_name
from job
left join account on account.id = job.requested_by
left join space on space.id = job.space_id
where job.id = ?;

-- listJobs: GET /api/project/{p}/job
select job.id, job.name, job.state, job.done, job.total, job.unit, job.cancel_requested, job.failures,
  job.error, job.created_at, job.run_at, job.started_at, job.finished_at, account.id as account_id,
  coalesce(nullif(account.name, ''), account.email) as account_name, CASE WHEN job.state = 'running' AND
  job.done > 0 AND job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() -
  job.started_at) * (job.total - job.done) / job.done), 2e9)::int END as seconds_left
from job
left join account on account.id = job.requested_by
where job.space_id = ? AND (job.failures > 0 OR job.interruptions > 0 OR job.name <> ALL (?::text[]))
order by job.created_at desc, job.id desc
limit ?
offset ?;
select state, count(*) as count
from job
where job.space_id = ? AND (job.failures > 0 OR job.interruptions > 0 OR job.name <> ALL (?::text[]))
group by state;

-- retryJob: POST /api/project/{p}/job/{id}/retry
-- select job by id
-- select job by id (2)
update job
set state = ?, failures = ?, repeats = ?, interruptions = ?, outages = ?, cancel_requested = ?, run_at =
  clock_timestamp(), finished_at = ?, requested_by = ?
where id = ? and state in (?, …) and NOT EXISTS (SELECT FROM job AS other WHERE other.name = job.name AND
  other.key = job.key AND other.space_id IS NOT DISTINCT FROM job.space_id AND other.state = 'waiting' AND
  other.id <> job.id);
-- select job by id
-- select job by id (2)
-- audit: job.retry

-- cancelJob: POST /api/project/{p}/job/{id}/cancel
-- select job by id
-- select job by id (2)
update job
set cancel_requested = ?, finished_at = CASE WHEN state = 'waiting' THEN clock_timestamp() END, state = CASE
  WHEN state = 'waiting' THEN 'cancelled' ELSE state END
where id = ? and state in (?, …);
-- select job by id
-- select job by id (2)
-- audit: job.cancel

-- listInstallationJobs: GET /api/admin/jobs
select job.id, job.name, job.state, job.done, job.total, job.unit, job.cancel_requested, job.failures,
  job.error, job.created_at, job.run_at, job.started_at, job.finished_at, account.id as account_id,
  coalesce(nullif(account.name, ''), account.email) as account_name, CASE WHEN job.state = 'running' AND
  job.done > 0 AND job.total >= job.done THEN least(ceil(extract(epoch FROM clock_timestamp() -
  job.started_at) * (job.total - job.done) / job.done), 2e9)::int END as seconds_left, space.uid as space_uid,
  space.name as space_name
from job
left join account on account.id = job.requested_by
left join space on space.id = job.space_id
where (job.failures > 0 OR job.interruptions > 0 OR job.name <> ALL (?::text[]))
order by job.created_at desc, job.id desc
limit ?
offset ?;
select state, count(*) as count
from job
where (job.failures > 0 OR job.interruptions > 0 OR job.name <> ALL (?::text[]))
group by state;

-- retryInstallationJob: POST /api/admin/jobs/{id}/retry
-- select job by id (3)
update job
set state = ?, failures = ?, repeats = ?, interruptions = ?, outages = ?, cancel_requested = ?, run_at =
  clock_timestamp(), finished_at = ?
where id = ? and state in (?, …) and NOT EXISTS (SELECT FROM job AS other WHERE other.name = job.name AND
  other.key = job.key AND other.space_id IS NOT DISTINCT FROM job.space_id AND other.state = 'waiting' AND
  other.id <> job.id);
-- select job by id (3)
-- audit: job.retry

-- cancelInstallationJob: POST /api/admin/jobs/{id}/cancel
-- select job by id (3)
update job
set cancel_requested = ?, finished_at = CASE WHEN state = 'waiting' THEN clock_timestamp() END, state = CASE
  WHEN state = 'waiting' THEN 'cancelled' ELSE state END
where id = ? and state in (?, …);
-- select job by id (3)
-- audit: job.cancel
