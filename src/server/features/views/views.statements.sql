-- Several times: select app_view by app_id
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?)
order by owner_id IS NOT NULL, (SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND
  model.id = app_view.model_id), model_id, position, uid;

-- listAppViews: GET /api/project/{p}/app/{a}/appView
-- select app_view by app_id
-- models of app

-- createAppView: POST /api/project/{p}/app/{a}/appView
-- models of app
INSERT INTO app_view (space_id, app_id, model_id, uid, owner_id, name, type, settings, position)
SELECT ?, ?, ?, ?, ?, ?, ?, ?::jsonb, coalesce(max(position), 0) + 1
FROM app_view
WHERE space_id = ? AND model_id = ? AND owner_id IS NOT DISTINCT
FROM ?::text HAVING count(*) < ?
RETURNING *;
-- audit: view.create

-- updateAppView: PUT /api/project/{p}/app/{a}/appView/{id}
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?) and uid = ?;
-- models of app
update app_view
set name = ?, type = ?, settings = ?, version = version + 1, updated_at = clock_timestamp()
where space_id = ? and uid = ? and version = ?
returning *;
-- audit: view.update

-- deleteAppView: DELETE /api/project/{p}/app/{a}/appView/{id}
select *
from app_view
where space_id = ? and app_id = ? and (owner_id is null or owner_id = ?) and uid = ?;
delete from app_view
where space_id = ? and uid = ?;
-- audit: view.delete

-- updateAppViewOrder: POST /api/project/{p}/app/{a}/appView:updateOrder
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
-- select app_view by app_id
UPDATE app_view
SET position = wanted.position
FROM unnest(?::text[]) WITH ORDINALITY AS wanted (uid, position)
WHERE app_view.space_id = ? AND app_view.app_id = ? AND app_view.uid = wanted.uid;
-- select app_view by app_id
-- models of app
-- audit: view.reorder
