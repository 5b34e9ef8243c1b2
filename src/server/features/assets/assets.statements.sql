-- listAssets: GET /api/project/{p}/assets
SELECT count(*) AS total
FROM asset
WHERE asset.space_id = ? AND asset.deleted_at IS NULL;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
JOIN unnest(ARRAY( SELECT id::text FROM asset WHERE asset.space_id = ? AND asset.deleted_at IS NULL ORDER BY
  created_at DESC, id DESC LIMIT ? OFFSET ?)) WITH ORDINALITY AS found (id, place) ON asset.space_id = ? AND
  asset.id = found.id
ORDER BY found.place;

-- getAsset: GET /api/project/{p}/assets/{id}
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL;
SELECT count(*) AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL;

-- uploadAssets: POST /api/project/{p}/assets
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from external_storage
where space_id = ? and left_at is null;
INSERT INTO asset_blob (space_id, storage, key, hash)
SELECT ?::int, ?::text, CASE WHEN EXISTS (SELECT FROM asset_blob WHERE space_id = ? AND storage = ? AND key =
  ? AND doomed_at IS NOT NULL) THEN ?::text ELSE ?::text END, ?::bytea
ON CONFLICT (space_id, storage, hash)
WHERE doomed_at IS NULL
DO UPDATE SET touched_at = now()
RETURNING key;
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
insert into asset (media_type, size, storage, storage_key, hash, width, height, placeholder, metadata,
  elsewhere, search_text, grams, title, description, alt_text, focal_x, focal_y, is_private, file_name,
  space_id, id, created_by, updated_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (space_id, id) do nothing
returning id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ?;
SELECT count(*) AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL;

-- uploadAssetFromUrl: POST /api/project/{p}/assets:fromUrl
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from external_storage
where space_id = ? and left_at is null;
INSERT INTO asset_blob (space_id, storage, key, hash)
SELECT ?::int, ?::text, CASE WHEN EXISTS (SELECT FROM asset_blob WHERE space_id = ? AND storage = ? AND key =
  ? AND doomed_at IS NOT NULL) THEN ?::text ELSE ?::text END, ?::bytea
ON CONFLICT (space_id, storage, hash)
WHERE doomed_at IS NULL
DO UPDATE SET touched_at = now()
RETURNING key;
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
insert into asset (media_type, size, storage, storage_key, hash, width, height, placeholder, metadata,
  elsewhere, search_text, grams, title, description, alt_text, focal_x, focal_y, is_private, file_name,
  space_id, id, created_by, updated_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (space_id, id) do nothing
returning id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ?;
SELECT count(*) AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL;

-- signUpload: GET /api/project/{p}/assets/signedUrl
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
SELECT pg_advisory_xact_lock(hashtextextended('open uploads', ?));
delete from open_upload
where space_id = ? and expires_at <= now()
returning id;
select coalesce(count(*) FILTER (WHERE account_id IS NOT DISTINCT FROM ?), 0)::float8 as "ownCount",
  coalesce(sum(size) FILTER (WHERE account_id IS NOT DISTINCT FROM ?), 0)::float8 as "ownBytes",
  coalesce(count(*), 0)::float8 as count, coalesce(sum(size), 0)::float8 as bytes, coalesce(ceil(extract(epoch
  FROM min(expires_at) FILTER (WHERE account_id IS NOT DISTINCT FROM ?) - now())), 0)::float8 as "ownWait",
  coalesce(ceil(extract(epoch FROM min(expires_at) - now())), 0)::float8 as wait
from open_upload
where space_id = ?;
insert into open_upload (space_id, id, account_id, size, expires_at)
values (?, ?, ?, ?, ?);
commit;
select id
from external_storage
where space_id = ? and left_at is null;

-- confirmUpload: POST /api/project/{p}/assets/{id}/signedUrl
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL;
SELECT count(*) AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL;

-- updateAsset: PATCH /api/project/{p}/assets/{id}
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL
FOR UPDATE OF asset;
update asset
set file_name = ?, title = ?, description = ?, alt_text = ?, search_text = ?, grams = ?, version = ?,
  updated_at = now(), updated_by = ?
where space_id = ? and id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL;
SELECT count(*) AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- replaceAsset: PUT /api/project/{p}/assets/{id}:refresh
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL
FOR UPDATE OF asset;
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from external_storage
where space_id = ? and left_at is null;
INSERT INTO asset_blob (space_id, storage, key, hash)
SELECT ?::int, ?::text, CASE WHEN EXISTS (SELECT FROM asset_blob WHERE space_id = ? AND storage = ? AND key =
  ? AND doomed_at IS NOT NULL) THEN ?::text ELSE ?::text END, ?::bytea
ON CONFLICT (space_id, storage, hash)
WHERE doomed_at IS NULL
DO UPDATE SET touched_at = now()
RETURNING key;
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL
FOR UPDATE OF asset;
update asset
set media_type = ?, size = ?, storage = ?, storage_key = ?, hash = ?, width = ?, height = ?, placeholder = ?,
  metadata = ?, elsewhere = ?, focal_x = ?, focal_y = ?, previous_storage = ?, previous_storage_key = ?,
  previous = ?, previous_at = now(), version = ?, updated_at = now(), updated_by = ?
where space_id = ? and id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL;
SELECT count(*) AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- editAssetPicture: PATCH /api/project/{p}/assets/{id}:refresh
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL
FOR UPDATE OF asset;
select previous, previous_storage as storage, previous_storage_key as "storageKey"
from asset
where space_id = ? and id = ? and NOT ( previous_at < now() - make_interval(days => ?));
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL
FOR UPDATE OF asset;
update asset
set media_type = ?, size = ?, storage = ?, storage_key = ?, hash = ?, width = ?, height = ?, placeholder = ?,
  metadata = ?, elsewhere = ?, focal_x = ?, focal_y = ?, previous_storage = ?, previous_storage_key = ?,
  previous = ?, previous_at = now(), version = ?, updated_at = now(), updated_by = ?
where space_id = ? and id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL;
SELECT count(*) AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- updateAssetTags: POST /api/project/{p}/assets/bulkTagsUpdate
select id, created_by as "createdBy", deleted_at as "deletedAt", version
from asset
where space_id = ? and id = ANY(?::text[])
order by id
for update;
WITH removed AS ( DELETE FROM asset_tag WHERE space_id = ? AND asset_id = ANY(?::text[]) AND tag_id =
  ANY(?::text[]) AND tag_id <> ALL(?::text[]) RETURNING asset_id), added AS ( INSERT INTO asset_tag (space_id,
  asset_id, tag_id) SELECT ?::int, asset, tag FROM unnest(?::text[]) AS asset, unnest(?::text[]) AS tag ON
  CONFLICT DO NOTHING RETURNING asset_id)
UPDATE asset
SET version = version + 1, updated_at = now(), updated_by = ?
WHERE space_id = ? AND id IN (SELECT asset_id FROM removed UNION SELECT asset_id FROM added)
RETURNING id, version;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteAssets: POST /api/project/{p}/assets/bulkDelete
select id, created_by as "createdBy", deleted_at as "deletedAt", version
from asset
where space_id = ? and id = ANY(?::text[])
order by id
for update;
update asset
set deleted_at = now()
where space_id = ? and id = ANY(?::text[]);
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- restoreAssets: POST /api/project/{p}/assets/bulkRestore
select id, created_by as "createdBy", deleted_at as "deletedAt", version
from asset
where space_id = ? and id = ANY(?::text[])
order by id
for update;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteAsset: DELETE /api/project/{p}/asset/{id}
select id, created_by as "createdBy", deleted_at as "deletedAt", version
from asset
where space_id = ? and id = ANY(?::text[])
order by id
for update;
update asset
set deleted_at = now()
where space_id = ? and id = ANY(?::text[]);
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getAssetBlob: GET /api/project/{p}/assets/{id}/getBlob
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ? AND asset.deleted_at IS NULL;

-- getAssetReferences: GET /api/project/{p}/asset/{id}/references
SELECT asset.id, asset.file_name AS "fileName", asset.media_type AS "mediaType", asset.size, asset.storage,
  asset.storage_key AS "storageKey", asset.hash, asset.width, asset.height, asset.placeholder, asset.metadata,
  asset.title, asset.description, asset.alt_text AS "altText", asset.is_private AS private, asset.version,
  asset.previous IS NOT NULL AS restorable, asset.elsewhere, CASE WHEN asset.focal_x IS NOT NULL THEN
  jsonb_build_object('x', asset.focal_x, 'y', asset.focal_y) END AS "focalPoint", asset.created_at AS
  "createdAt", asset.updated_at AS "updatedAt", asset.deleted_at AS "deletedAt", (SELECT
  jsonb_build_object('_id', asset.created_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.created_by HAVING asset.created_by IS NOT NULL) AS "createdBy", (SELECT
  jsonb_build_object('_id', asset.updated_by, 'name', coalesce(max(account.name), '')) FROM account WHERE
  account.id = asset.updated_by HAVING asset.updated_by IS NOT NULL) AS "updatedBy", coalesce((SELECT
  array_agg(tag.id::text ORDER BY tag.name_key) FROM asset_tag JOIN tag ON tag.space_id = asset_tag.space_id
  AND tag.id = asset_tag.tag_id WHERE asset_tag.space_id = asset.space_id AND asset_tag.asset_id = asset.id),
  '{}') AS tags, (SELECT other.id FROM asset AS other WHERE other.space_id = asset.space_id AND other.hash =
  asset.hash AND other.id <> asset.id AND other.deleted_at IS NULL ORDER BY other.id LIMIT 1) AS "duplicateOf"
FROM asset
WHERE asset.space_id = ? AND asset.id = ?;
SELECT document.id, model.fields, model.title_field AS "titleField", CASE WHEN model.title_field IS NULL THEN
  '{}' ELSE jsonb_strip_nulls(jsonb_build_object( model.title_field, coalesce(document.draft,
  document.pub)->model.title_field)) END AS title, (SELECT array_agg(key) FROM
  jsonb_each(coalesce(document.draft, document.pub)) AS entry(key, value) WHERE value @> to_jsonb(?::text)) AS
  holders, document.published_at IS NOT NULL AS published, jsonb_build_object('uid', app.uid, 'name',
  app.name) AS app, jsonb_build_object('uid', model.uid, 'name', model.name) AS model, count(*) OVER () AS
  total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL
WHERE TRUE
ORDER BY document.updated_at DESC, document.id
LIMIT ?;
SELECT count(*) AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL;

-- listTags: GET /api/project/{p}/tags
SELECT tag.id, tag.name, count(asset.id) AS "assetCount"
FROM tag
LEFT JOIN asset_tag ON asset_tag.space_id = tag.space_id AND asset_tag.tag_id = tag.id
LEFT JOIN asset ON asset.space_id = asset_tag.space_id AND asset.id = asset_tag.asset_id AND asset.deleted_at
  IS NULL
WHERE tag.space_id = ? AND (?::text IS NULL OR tag.id = ?)
GROUP BY tag.id, tag.name, tag.name_key
ORDER BY tag.name_key, tag.id;

-- createTag: POST /api/project/{p}/tags
insert into tag (space_id, id, name, name_key, created_by)
values (?, ?, ?, ?, ?);
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- updateTag: PUT /api/project/{p}/tags/{id}
update tag
set name = ?, name_key = ?
where space_id = ? and id = ?
returning id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT tag.id, tag.name, count(asset.id) AS "assetCount"
FROM tag
LEFT JOIN asset_tag ON asset_tag.space_id = tag.space_id AND asset_tag.tag_id = tag.id
LEFT JOIN asset ON asset.space_id = asset_tag.space_id AND asset.id = asset_tag.asset_id AND asset.deleted_at
  IS NULL
WHERE tag.space_id = ? AND (?::text IS NULL OR tag.id = ?)
GROUP BY tag.id, tag.name, tag.name_key
ORDER BY tag.name_key, tag.id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteTag: DELETE /api/project/{p}/tags/{id}
delete from tag
where space_id = ? and id = ?
returning id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- listAssetFolders: GET /api/project/{p}/assetFolders
select id, name, filter
from asset_folder
where space_id = ?
order by created_at, id
limit ?;

-- createAssetFolder: POST /api/project/{p}/assetFolders
select id, name, filter
from asset_folder
where space_id = ?
order by created_at, id
limit ?;
insert into asset_folder (id, name, filter, space_id, created_by)
values (?, ?, ?, ?, ?);
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- updateAssetFolder: PUT /api/project/{p}/assetFolders/{id}
update asset_folder
set id = ?, name = ?
where space_id = ? and id = ?
returning id, name, filter;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteAssetFolder: DELETE /api/project/{p}/assetFolders/{id}
delete from asset_folder
where space_id = ? and id = ?
returning id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
