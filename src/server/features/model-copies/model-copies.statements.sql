-- duplicateModel: POST /api/project/{p}/app/{a}/model/duplicate
-- locks app
-- models of app
-- custom types of app
select *
from app
where space_id = ? and uid = ? and deleted_at is null;
-- rights of member
-- models of app
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
-- custom types of app
insert into custom_type (space_id, app_id, public_id, uid, name, description, fields)
values (?, ?, ?, ?, ?, ?, ?)
returning *;
-- event: customType.created
SELECT pg_notify(?, ?)::text;
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

-- importModel: POST /api/project/{p}/app/{a}/model:import
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
