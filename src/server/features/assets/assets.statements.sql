-- Several times: select asset by id
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

-- Several times: select asset_reference
SELECT count(*) AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL;

-- Several times: select external_storage
select id
from external_storage
where space_id = ? and left_at is null;

-- Several times: insert asset_blob
INSERT INTO asset_blob (space_id, storage, key, hash)
SELECT ?::int, ?::text, CASE WHEN EXISTS (SELECT FROM asset_blob WHERE space_id = ? AND storage = ? AND key =
  ? AND doomed_at IS NOT NULL) THEN ?::text ELSE ?::text END, ?::bytea
ON CONFLICT (space_id, storage, hash)
WHERE doomed_at IS NULL
DO UPDATE SET touched_at = now()
RETURNING key;

-- Several times: insert asset
insert into asset (media_type, size, storage, storage_key, hash, width, height, placeholder, metadata,
  elsewhere, search_text, grams, title, description, alt_text, focal_x, focal_y, is_private, file_name,
  space_id, id, created_by, updated_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (space_id, id) do nothing
returning id;

-- Several times: select asset by id (2)
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

-- Several times: select asset by id (3)
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

-- Several times: update asset by id
update asset
set media_type = ?, size = ?, storage = ?, storage_key = ?, hash = ?, width = ?, height = ?, placeholder = ?,
  metadata = ?, elsewhere = ?, focal_x = ?, focal_y = ?, previous_storage = ?, previous_storage_key = ?,
  previous = ?, previous_at = now(), version = ?, updated_at = now(), updated_by = ?
where space_id = ? and id = ?;

-- Several times: select asset by id for update
select id, created_by as "createdBy", deleted_at as "deletedAt", version
from asset
where space_id = ? and id = ANY(?::text[])
order by id
for update;

-- Several times: select tag
SELECT tag.id, tag.name, count(asset.id) AS "assetCount"
FROM tag
LEFT JOIN asset_tag ON asset_tag.space_id = tag.space_id AND asset_tag.tag_id = tag.id
LEFT JOIN asset ON asset.space_id = asset_tag.space_id AND asset.id = asset_tag.asset_id AND asset.deleted_at
  IS NULL
WHERE tag.space_id = ? AND (?::text IS NULL OR tag.id = ?)
GROUP BY tag.id, tag.name, tag.name_key
ORDER BY tag.name_key, tag.id;

-- Several times: select asset_folder
select id, name, filter
from asset_folder
where space_id = ?
order by created_at, id
limit ?;

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
-- select asset by id
-- select asset_reference

-- uploadAssets: POST /api/project/{p}/assets
commit;
begin;
-- enters space
-- select external_storage
-- insert asset_blob
commit;
begin;
-- enters space
-- insert asset
-- event: asset.created
-- audit: asset.create
-- select asset by id (2)
-- select asset_reference

-- uploadAssetFromUrl: POST /api/project/{p}/assets:fromUrl
commit;
begin;
-- enters space
-- select external_storage
-- insert asset_blob
commit;
begin;
-- enters space
-- insert asset
-- event: asset.created
-- audit: asset.create
-- select asset by id (2)
-- select asset_reference

-- signUpload: GET /api/project/{p}/assets/signedUrl
commit;
begin;
-- enters space
SELECT pg_advisory_xact_lock(hashtextextended('open uploads', ?));
delete from open_upload
where space_id = ? and expires_at <= now()
returning id;
select coalesce(count(*), 0)::float8 as count, coalesce(sum(size), 0)::float8 as bytes,
  coalesce(ceil(extract(epoch FROM min(expires_at) - now())), 0)::float8 as wait
from open_upload
where space_id = ?;
SELECT pg_advisory_xact_lock(hashtextextended(?, 0));
SELECT count, bytes, wait
FROM open_uploads_of(?);
insert into open_upload (space_id, id, account_id, size, expires_at)
values (?, ?, ?, ?, ?);
commit;
-- select external_storage

-- getUploadOffset: HEAD /api/uploads/{token}
select id
from asset
where space_id = ? and id = ?;

-- receiveUpload: PUT /api/uploads/{token}
select id
from asset
where space_id = ? and id = ?;

-- confirmUpload: POST /api/project/{p}/assets/{id}/signedUrl
commit;
begin;
-- enters space
-- select asset by id
-- select asset_reference

-- updateAsset: PATCH /api/project/{p}/assets/{id}
-- select asset by id (3)
update asset
set file_name = ?, title = ?, description = ?, alt_text = ?, search_text = ?, grams = ?, version = ?,
  updated_at = now(), updated_by = ?
where space_id = ? and id = ?;
-- event: asset.updated
-- select asset by id
-- select asset_reference
-- audit: asset.update

-- replaceAsset: PUT /api/project/{p}/assets/{id}:refresh
commit;
begin;
-- enters space
-- select asset by id (3)
commit;
begin;
-- enters space
-- select external_storage
-- insert asset_blob
commit;
begin;
-- enters space
-- select asset by id (3)
-- update asset by id
-- event: asset.replaced
-- select asset by id
-- select asset_reference
-- audit: asset.replace

-- editAssetPicture: PATCH /api/project/{p}/assets/{id}:refresh
commit;
begin;
-- enters space
-- select asset by id (3)
select previous, previous_storage as storage, previous_storage_key as "storageKey"
from asset
where space_id = ? and id = ? and NOT ( previous_at < now() - make_interval(days => ?));
-- select asset by id (3)
-- update asset by id
-- event: asset.replaced
-- select asset by id
-- select asset_reference
-- audit: asset.edit

-- updateAssetTags: POST /api/project/{p}/assets/bulkTagsUpdate
-- select asset by id for update
WITH removed AS ( DELETE FROM asset_tag WHERE space_id = ? AND asset_id = ANY(?::text[]) AND tag_id =
  ANY(?::text[]) AND tag_id <> ALL(?::text[]) RETURNING asset_id), added AS ( INSERT INTO asset_tag (space_id,
  asset_id, tag_id) SELECT ?::int, asset, tag FROM unnest(?::text[]) AS asset, unnest(?::text[]) AS tag ON
  CONFLICT DO NOTHING RETURNING asset_id)
UPDATE asset
SET version = version + 1, updated_at = now(), updated_by = ?
WHERE space_id = ? AND id IN (SELECT asset_id FROM removed UNION SELECT asset_id FROM added)
RETURNING id, version;
-- event: asset.updated
-- audit: asset.tag

-- deleteAssets: POST /api/project/{p}/assets/bulkDelete
-- select asset by id for update
update asset
set deleted_at = now()
where space_id = ? and id = ANY(?::text[]);
-- event: asset.deleted
-- audit: asset.delete

-- restoreAssets: POST /api/project/{p}/assets/bulkRestore
-- select asset by id for update
-- audit: asset.restore

-- deleteAsset: DELETE /api/project/{p}/asset/{id}
-- select asset by id for update
update asset
set deleted_at = now()
where space_id = ? and id = ANY(?::text[]);
-- event: asset.deleted
-- audit: asset.delete

-- getAssetBlob: GET /api/project/{p}/assets/{id}/getBlob
commit;
begin;
-- enters space
-- select asset by id

-- getAssetReferences: GET /api/project/{p}/asset/{id}/references
-- select asset by id (2)
SELECT document.id, model.fields, model.title_field AS "titleField", CASE WHEN model.title_field IS NULL THEN
  '{}' ELSE jsonb_strip_nulls(jsonb_build_object( model.title_field, coalesce(document.draft,
  document.pub)->model.title_field)) END AS title, (SELECT array_agg(key) FROM
  jsonb_each(coalesce(document.draft, document.pub)) AS entry(key, value) WHERE value @> to_jsonb(?::text)) AS
  holders, coalesce( (SELECT jsonb_object_agg(key, CASE WHEN pg_column_size(value) <= ? THEN value END) FROM
  jsonb_each(coalesce(document.draft, document.pub)) AS entry(key, value) WHERE strpos(value::text, ?) > 0),
  (SELECT jsonb_object_agg(key, CASE WHEN pg_column_size(value) <= ? THEN value END) FROM
  jsonb_each(document.pub) AS entry(key, value) WHERE strpos(value::text, ?) > 0)) AS holding,
  document.published_at IS NOT NULL AS published, app.id AS "appId", model.id AS "modelId",
  jsonb_build_object('uid', app.uid, 'name', app.name) AS app, jsonb_build_object('uid', model.uid, 'name',
  model.name) AS model, count(*) OVER () AS total
FROM (SELECT DISTINCT model_id, document_id FROM asset_reference WHERE space_id = ? AND asset_id = ?) AS used
JOIN document ON document.space_id = ? AND document.model_id = used.model_id AND document.id =
  used.document_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.id = document.model_id AND model.deleted_at IS NULL
JOIN app ON app.space_id = ? AND app.id = model.app_id AND app.deleted_at IS NULL
WHERE TRUE
ORDER BY document.updated_at DESC, document.id
LIMIT ?;
-- select asset_reference

-- listTags: GET /api/project/{p}/tags
-- select tag

-- createTag: POST /api/project/{p}/tags
insert into tag (space_id, id, name, name_key, created_by)
values (?, ?, ?, ?, ?);
-- event: tag.created
-- audit: tag.create

-- updateTag: PUT /api/project/{p}/tags/{id}
update tag
set name = ?, name_key = ?
where space_id = ? and id = ?
returning id;
-- event: tag.updated
-- select tag
-- audit: tag.update

-- deleteTag: DELETE /api/project/{p}/tags/{id}
delete from tag
where space_id = ? and id = ?
returning id;
-- event: tag.deleted
-- audit: tag.delete

-- listAssetFolders: GET /api/project/{p}/assetFolders
-- select asset_folder

-- createAssetFolder: POST /api/project/{p}/assetFolders
-- select asset_folder
insert into asset_folder (id, name, filter, space_id, created_by)
values (?, ?, ?, ?, ?);
-- audit: assetFolder.create

-- updateAssetFolder: PUT /api/project/{p}/assetFolders/{id}
update asset_folder
set id = ?, name = ?
where space_id = ? and id = ?
returning id, name, filter;
-- audit: assetFolder.update

-- deleteAssetFolder: DELETE /api/project/{p}/assetFolders/{id}
delete from asset_folder
where space_id = ? and id = ?
returning id;
-- audit: assetFolder.delete
