-- getExternalStorage: GET /api/project/{p}/externalStorage
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id, endpoint, region, bucket, prefix, style, key_last4, credentials, created_at, updated_at
from external_storage
where space_id = ? and left_at is null;
SELECT count(*)::int AS total, (count(*) FILTER (WHERE storage <> ?))::int AS elsewhere
FROM asset_blob AS blob
WHERE space_id = ? AND ( EXISTS (SELECT FROM asset WHERE asset.space_id = blob.space_id AND asset.storage =
  blob.storage AND asset.storage_key = blob.key) OR EXISTS (SELECT FROM asset WHERE asset.space_id =
  blob.space_id AND asset.previous_storage = blob.storage AND asset.previous_storage_key = blob.key));
select id
from job
where space_id = ? and name = ?
order by created_at desc, id desc
limit ?;

-- saveExternalStorage: PUT /api/project/{p}/externalStorage
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from space
where id = ?
for no key update;
select id, endpoint, region, bucket, prefix, style, key_last4, credentials, created_at, updated_at
from external_storage
where space_id = ? and left_at is null;
insert into external_storage (space_id, id, endpoint, region, bucket, prefix, style, credentials, key_last4,
  created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
select id, endpoint, region, bucket, prefix, style, key_last4, credentials, created_at, updated_at
from external_storage
where space_id = ? and left_at is null;
SELECT count(*)::int AS total, (count(*) FILTER (WHERE storage <> ?))::int AS elsewhere
FROM asset_blob AS blob
WHERE space_id = ? AND ( EXISTS (SELECT FROM asset WHERE asset.space_id = blob.space_id AND asset.storage =
  blob.storage AND asset.storage_key = blob.key) OR EXISTS (SELECT FROM asset WHERE asset.space_id =
  blob.space_id AND asset.previous_storage = blob.storage AND asset.previous_storage_key = blob.key));
select id
from job
where space_id = ? and name = ?
order by created_at desc, id desc
limit ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteExternalStorage: DELETE /api/project/{p}/externalStorage
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from space
where id = ?
for no key update;
select id, endpoint, region, bucket, prefix, style, key_last4, credentials, created_at, updated_at
from external_storage
where space_id = ? and left_at is null;
select id, endpoint, region, bucket, prefix, style, key_last4, credentials, created_at, updated_at
from external_storage
where space_id = ? and left_at is null;
SELECT count(*)::int AS total, (count(*) FILTER (WHERE storage <> ?))::int AS elsewhere
FROM asset_blob AS blob
WHERE space_id = ? AND ( EXISTS (SELECT FROM asset WHERE asset.space_id = blob.space_id AND asset.storage =
  blob.storage AND asset.storage_key = blob.key) OR EXISTS (SELECT FROM asset WHERE asset.space_id =
  blob.space_id AND asset.previous_storage = blob.storage AND asset.previous_storage_key = blob.key));
select id
from job
where space_id = ? and name = ?
order by created_at desc, id desc
limit ?;
commit;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- testExternalStorage: POST /api/project/{p}/externalStorage/test

-- moveFiles: POST /api/project/{p}/externalStorage/move
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
select id, endpoint, region, bucket, prefix, style, key_last4, credentials, created_at, updated_at
from external_storage
where space_id = ? and left_at is null;
SELECT count(*)::int AS total, (count(*) FILTER (WHERE storage <> ?))::int AS elsewhere
FROM asset_blob AS blob
WHERE space_id = ? AND ( EXISTS (SELECT FROM asset WHERE asset.space_id = blob.space_id AND asset.storage =
  blob.storage AND asset.storage_key = blob.key) OR EXISTS (SELECT FROM asset WHERE asset.space_id =
  blob.space_id AND asset.previous_storage = blob.storage AND asset.previous_storage_key = blob.key));
select id
from job
where space_id = ? and name = ?
order by created_at desc, id desc
limit ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
