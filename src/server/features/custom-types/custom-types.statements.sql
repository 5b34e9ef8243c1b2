-- Several times: select model_change by custom_type_id
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.custom_type_id = ? AND change.ended_at IS NULL AND change.changed_at >
  now() - make_interval(days => ?)
ORDER BY change.version DESC;

-- listCustomTypes: GET /api/project/{p}/app/{a}/customFieldType
-- custom types of app

-- createCustomType: POST /api/project/{p}/app/{a}/customFieldType
-- locks app
-- models of app
-- custom types of app
insert into custom_type (space_id, app_id, public_id, uid, name, description, fields)
values (?, ?, ?, ?, ?, ?, ?)
returning *;
-- event: customType.created
SELECT pg_notify(?, ?)::text;
-- audit: customType.create

-- getCustomType: GET /api/project/{p}/app/{a}/customFieldType/{id}
-- custom types of app

-- updateCustomType: PUT /api/project/{p}/app/{a}/customFieldType/{id}
commit;
begin;
-- enters space
-- locks app
-- models of app
-- custom types of app
update custom_type
set uid = ?, name = ?, description = ?, fields = ?, version = version + 1, updated_at = clock_timestamp()
where space_id = ? and id = ?
returning *;
-- event: customType.updated
SELECT pg_notify(?, ?)::text;
-- audit: customType.update

-- listCustomTypeChanges: GET /api/project/{p}/app/{a}/customFieldType/{id}/change
-- custom types of app
-- select model_change by custom_type_id

-- takeBackCustomTypeChange: POST /api/project/{p}/app/{a}/customFieldType/{id}/change:takeBack
commit;
begin;
-- enters space
-- locks app
-- models of app
-- custom types of app
-- select model_change by custom_type_id
update custom_type
set uid = ?, name = ?, description = ?, fields = ?, version = version + 1, updated_at = clock_timestamp()
where space_id = ? and id = ?
returning *;
update model_change
set ended_at = clock_timestamp()
where space_id = ? and custom_type_id = ? and custom_type_version = ?;
-- event: customType.updated
SELECT pg_notify(?, ?)::text;
-- audit: customType.takeBack

-- confirmCustomTypeChange: POST /api/project/{p}/app/{a}/customFieldType/{id}/change:confirm
-- custom types of app
-- select model_change by custom_type_id
update model_change
set ended_at = clock_timestamp()
where space_id = ? and custom_type_id = ? and custom_type_version <= ? and ended_at is null;
-- custom types of app
-- select model_change by custom_type_id
-- audit: customType.confirm

-- deleteCustomType: DELETE /api/project/{p}/app/{a}/customFieldType/{id}
-- locks app
-- models of app
-- custom types of app
update model_change
set ended_at = coalesce(ended_at, clock_timestamp()), custom_type_id = ?, custom_type_version = ?
where space_id = ? and custom_type_id = ?;
delete from custom_type
where space_id = ? and id = ?;
-- event: customType.deleted
SELECT pg_notify(?, ?)::text;
-- audit: customType.delete

-- copyCustomType: POST /api/project/{p}/app/{a}/model/{m}/customFieldTypes
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
-- locks app
-- models of app
-- custom types of app
select *
from app
where space_id = ? and uid = ? and deleted_at is null;
-- rights of member
-- custom types of app
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
insert into custom_type (space_id, app_id, public_id, uid, name, description, fields)
values (?, ?, ?, ?, ?, ?, ?)
returning *;
-- event: customType.created
SELECT pg_notify(?, ?)::text;
-- audit: customType.create
