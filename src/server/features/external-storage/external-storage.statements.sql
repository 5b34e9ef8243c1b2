-- Several times: select external_storage
select id, endpoint, region, bucket, prefix, style, key_last4, credentials, created_at, updated_at
from external_storage
where space_id = ? and left_at is null;

-- Several times: select asset_blob
SELECT count(*)::int AS total, (count(*) FILTER (WHERE storage <> ?))::int AS elsewhere
FROM asset_blob AS blob
WHERE space_id = ? AND ( EXISTS (SELECT FROM asset WHERE asset.space_id = blob.space_id AND asset.storage =
  blob.storage AND asset.storage_key = blob.key) OR EXISTS (SELECT FROM asset WHERE asset.space_id =
  blob.space_id AND asset.previous_storage = blob.storage AND asset.previous_storage_key = blob.key) OR EXISTS
  (SELECT FROM form_file WHERE form_file.space_id = blob.space_id AND form_file.storage = blob.storage AND
  form_file.storage_key = blob.key));

-- Several times: select job by name
select id
from job
where space_id = ? and name = ?
order by created_at desc, id desc
limit ?;

-- getExternalStorage: GET /api/project/{p}/externalStorage
commit;
begin;
-- enters space
-- select external_storage
-- select asset_blob
-- select job by name

-- saveExternalStorage: PUT /api/project/{p}/externalStorage
commit;
begin;
-- enters space
select id
from space
where id = ?
for no key update;
-- select external_storage
insert into external_storage (space_id, id, endpoint, region, bucket, prefix, style, credentials, key_last4,
  created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- job: assets.moveFiles
-- event: externalStorage.saved
-- select external_storage
-- select asset_blob
-- select job by name
-- audit: storage.update

-- deleteExternalStorage: DELETE /api/project/{p}/externalStorage
commit;
begin;
-- enters space
select id
from space
where id = ?
for no key update;
-- select external_storage
-- select external_storage
-- select asset_blob
-- select job by name
commit;
-- audit: storage.leave

-- testExternalStorage: POST /api/project/{p}/externalStorage/test

-- moveFiles: POST /api/project/{p}/externalStorage/move
commit;
begin;
-- enters space
-- job: assets.moveFiles
-- select external_storage
-- select asset_blob
-- select job by name
-- audit: storage.move
