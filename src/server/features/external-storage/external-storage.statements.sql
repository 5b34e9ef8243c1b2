-- getExternalStorage: GET /api/project/{p}/externalStorage
commit;
begin;
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_member.id as "memberId", space_member.role as "projectRole", space_member.last_seen_at as
  "lastSeenAt", ( SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role
  AND (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights",
  space_security.ip_ranges, space_security.session_hours, space_security.second_factor,
  space_security.sso_required, space_security.sso_exempt, set_config('imori.space_id', space.id::text, true)
  || set_config('role', 'imori_member', true) as entered, ( SELECT array_agg(DISTINCT held)::text FROM
  app_member JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at
  IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)), unnest(role.rights) AS held
  WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id AND held =
  ANY(?::text[])) as "anyAppRights"
from space
inner join space_member on space_member.space_id = space.id
left join space_security on space_security.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
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
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_member.id as "memberId", space_member.role as "projectRole", space_member.last_seen_at as
  "lastSeenAt", ( SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role
  AND (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights",
  space_security.ip_ranges, space_security.session_hours, space_security.second_factor,
  space_security.sso_required, space_security.sso_exempt, set_config('imori.space_id', space.id::text, true)
  || set_config('role', 'imori_member', true) as entered, ( SELECT array_agg(DISTINCT held)::text FROM
  app_member JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at
  IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)), unnest(role.rights) AS held
  WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id AND held =
  ANY(?::text[])) as "anyAppRights"
from space
inner join space_member on space_member.space_id = space.id
left join space_security on space_security.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
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
insert into job (id, space_id, name, payload, key, queue, priority, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
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
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_member.id as "memberId", space_member.role as "projectRole", space_member.last_seen_at as
  "lastSeenAt", ( SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role
  AND (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights",
  space_security.ip_ranges, space_security.session_hours, space_security.second_factor,
  space_security.sso_required, space_security.sso_exempt, set_config('imori.space_id', space.id::text, true)
  || set_config('role', 'imori_member', true) as entered, ( SELECT array_agg(DISTINCT held)::text FROM
  app_member JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at
  IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)), unnest(role.rights) AS held
  WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id AND held =
  ANY(?::text[])) as "anyAppRights"
from space
inner join space_member on space_member.space_id = space.id
left join space_security on space_security.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
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
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_member.id as "memberId", space_member.role as "projectRole", space_member.last_seen_at as
  "lastSeenAt", ( SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role
  AND (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights",
  space_security.ip_ranges, space_security.session_hours, space_security.second_factor,
  space_security.sso_required, space_security.sso_exempt, set_config('imori.space_id', space.id::text, true)
  || set_config('role', 'imori_member', true) as entered, ( SELECT array_agg(DISTINCT held)::text FROM
  app_member JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at
  IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)), unnest(role.rights) AS held
  WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id AND held =
  ANY(?::text[])) as "anyAppRights"
from space
inner join space_member on space_member.space_id = space.id
left join space_security on space_security.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
insert into job (id, space_id, name, payload, key, queue, priority, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
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
