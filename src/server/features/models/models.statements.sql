-- Several times: select model_stat by model_id
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);

-- Several times: select model by app_id, uid
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;

-- Several times: select model by app_id, uid for update
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?
for update;

-- Several times: update model by id
update model
set uid = ?, name = ?, description = ?, fields = ?, title_field = ?, version = version + 1, updated_at =
  clock_timestamp()
where space_id = ? and id = ?
returning *;

-- Several times: select model_change by model_id
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.model_id = ? AND change.custom_type_id IS NULL AND change.ended_at IS
  NULL AND change.changed_at > now() - make_interval(days => ?)
ORDER BY change.version DESC;

-- listModels: GET /api/project/{p}/app/{a}/model
-- models of app
-- select model_stat by model_id

-- createModel: POST /api/project/{p}/app/{a}/model
-- locks app
-- models of app
-- custom types of app
insert into model (space_id, app_id, public_id, uid, name, description, fields, title_field, position)
values (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM model WHERE space_id = ? AND
  app_id = ?))
returning *;
insert into model_stat (space_id, model_id)
values (?, ?);
-- event: model.created
SELECT pg_notify(?, ?)::text;
-- counts documents
-- audit: model.create

-- updateModelOrder: POST /api/project/{p}/app/{a}/model:updateOrder
-- locks app
-- models of app
UPDATE model
SET position = wanted.position
FROM unnest(?::int[]) WITH ORDINALITY AS wanted (id, position)
WHERE model.space_id = ? AND model.app_id = ? AND model.id = wanted.id;
-- event: app.updated
-- select model_stat by model_id
-- audit: model.reorder

-- getModel: GET /api/project/{p}/app/{a}/model/{m}
-- select model by app_id, uid
-- select model_stat by model_id

-- updateModel: PUT /api/project/{p}/app/{a}/model/{m}
commit;
begin;
-- enters space
-- locks app
-- models of app
SELECT pg_advisory_xact_lock(?::int, hashtext(?));
-- select model by app_id, uid for update
-- custom types of app
-- select model_stat by model_id
-- update model by id
-- event: model.updated
SELECT pg_notify(?, ?)::text;
-- counts documents
-- select model_stat by model_id
-- audit: model.update

-- continueConversion: POST /api/project/{p}/app/{a}/model/{m}/conversion
-- select model by app_id, uid
-- select model_stat by model_id
-- audit: model.convert

-- listModelChanges: GET /api/project/{p}/app/{a}/model/{m}/change
-- select model by app_id, uid
-- select model_change by model_id

-- takeBackModelChange: POST /api/project/{p}/app/{a}/model/{m}/change:takeBack
commit;
begin;
-- enters space
-- locks app
-- models of app
SELECT pg_advisory_xact_lock(?::int, hashtext(?));
-- select model by app_id, uid for update
-- select model_change by model_id
-- custom types of app
-- select model_stat by model_id
-- update model by id
select count(*) as count
from (select id from document where space_id = ? and model_id = ? limit ?) as stored;
-- models of app
SELECT id, CASE WHEN shape < ? AND (draft ?| ?::text[] OR pub ?| ?::text[] OR false OR EXISTS (SELECT FROM
  document_before WHERE model_id = ? AND document_id = page.id AND version = ANY(?::int[]))) THEN
  coalesce(pg_column_size(draft), 0) + coalesce(pg_column_size(pub), 0) END AS bytes
FROM (SELECT id, shape, draft, pub FROM document WHERE space_id = ? AND model_id = ? AND id > ? ORDER BY id
  LIMIT ?) AS page
ORDER BY id;
update model_change
set ended_at = clock_timestamp()
where space_id = ? and model_id = ? and version = ?;
-- event: model.updated
SELECT pg_notify(?, ?)::text;
-- counts documents
-- select model_stat by model_id
-- audit: model.takeBack

-- confirmModelChange: POST /api/project/{p}/app/{a}/model/{m}/change:confirm
-- select model by app_id, uid
-- select model_change by model_id
update model_change
set ended_at = clock_timestamp()
where space_id = ? and model_id = ? and version <= ? and custom_type_id is null and ended_at is null;
-- select model_change by model_id
-- audit: model.confirm

-- deleteModel: DELETE /api/project/{p}/app/{a}/model/{m}
-- locks app
-- models of app
SELECT pg_advisory_xact_lock(?::int, hashtext(?));
-- select model by app_id, uid for update
-- custom types of app
update model
set deleted_at = clock_timestamp()
where space_id = ? and id = ?;
-- event: model.deleted
SELECT pg_notify(?, ?)::text;
-- counts documents
-- audit: model.delete
