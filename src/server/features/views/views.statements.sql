-- listAppViews: GET /api/project/{p}/app/{a}/appView
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;

-- createAppView: POST /api/project/{p}/app/{a}/appView
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
INSERT INTO app_view (space_id, app_id, model_id, uid, owner_id, name, type, settings, position)
SELECT ?, ?, ?, ?, ?, ?, ?, ?::jsonb, coalesce(max(position), 0) + 1
FROM app_view
WHERE space_id = ? AND model_id = ? AND owner_id IS NOT DISTINCT
FROM ?::text HAVING count(*) < ?
RETURNING *;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- updateAppView: PUT /api/project/{p}/app/{a}/appView/{id}
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?) and uid = ?;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
update app_view
set name = ?, type = ?, settings = ?, version = version + 1, updated_at = clock_timestamp()
where space_id = ? and uid = ? and version = ?
returning *;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteAppView: DELETE /api/project/{p}/app/{a}/appView/{id}
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?) and uid = ?;
delete from app_view
where space_id = ? and uid = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- updateAppViewOrder: POST /api/project/{p}/app/{a}/appView:updateOrder
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;
UPDATE app_view
SET position = wanted.position
FROM unnest(?::text[]) WITH ORDINALITY AS wanted (uid, position)
WHERE app_view.space_id = ? AND app_view.app_id = ? AND app_view.uid = wanted.uid;
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
