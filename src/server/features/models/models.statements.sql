-- listModels: GET /api/project/{p}/app/{a}/model
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);

-- createModel: POST /api/project/{p}/app/{a}/model
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
insert into model (space_id, app_id, public_id, uid, name, description, fields, title_field, position)
values (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM model WHERE space_id = ? AND
  app_id = ?))
returning *;
insert into model_stat (space_id, model_id)
values (?, ?);
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
update model_stat
set documents = documents + ?, published = published + ?, version = version + 1
where space_id = ? and model_id = ?
returning pg_notify(?, ?)::text as told;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- updateModelOrder: POST /api/project/{p}/app/{a}/model:updateOrder
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
UPDATE model
SET position = wanted.position
FROM unnest(?::int[]) WITH ORDINALITY AS wanted (id, position)
WHERE model.space_id = ? AND model.app_id = ? AND model.id = wanted.id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getModel: GET /api/project/{p}/app/{a}/model/{m}
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);

-- updateModel: PUT /api/project/{p}/app/{a}/model/{m}
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
SELECT pg_advisory_xact_lock(?::int, hashtext(?));
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?
for update;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
update model
set uid = ?, name = ?, description = ?, fields = ?, title_field = ?, version = version + 1, updated_at =
  clock_timestamp()
where space_id = ? and id = ?
returning *;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
update model_stat
set documents = documents + ?, published = published + ?, version = version + 1
where space_id = ? and model_id = ?
returning pg_notify(?, ?)::text as told;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- continueConversion: POST /api/project/{p}/app/{a}/model/{m}/conversion
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- listModelChanges: GET /api/project/{p}/app/{a}/model/{m}/change
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.model_id = ? AND change.custom_type_id IS NULL AND change.ended_at IS
  NULL AND change.changed_at > now() - make_interval(days => ?)
ORDER BY change.version DESC;

-- takeBackModelChange: POST /api/project/{p}/app/{a}/model/{m}/change:takeBack
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
SELECT pg_advisory_xact_lock(?::int, hashtext(?));
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?
for update;
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.model_id = ? AND change.custom_type_id IS NULL AND change.ended_at IS
  NULL AND change.changed_at > now() - make_interval(days => ?)
ORDER BY change.version DESC;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
update model
set uid = ?, name = ?, description = ?, fields = ?, title_field = ?, version = version + 1, updated_at =
  clock_timestamp()
where space_id = ? and id = ?
returning *;
select count(*) as count
from (select id from document where space_id = ? and model_id = ? limit ?) as stored;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
SELECT id, CASE WHEN shape < ? AND (draft ?| ?::text[] OR pub ?| ?::text[] OR false OR EXISTS (SELECT FROM
  document_before WHERE model_id = ? AND document_id = page.id AND version = ANY(?::int[]))) THEN
  coalesce(pg_column_size(draft), 0) + coalesce(pg_column_size(pub), 0) END AS bytes
FROM (SELECT id, shape, draft, pub FROM document WHERE space_id = ? AND model_id = ? AND id > ? ORDER BY id
  LIMIT ?) AS page
ORDER BY id;
update model_change
set ended_at = clock_timestamp()
where space_id = ? and model_id = ? and version = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
update model_stat
set documents = documents + ?, published = published + ?, version = version + 1
where space_id = ? and model_id = ?
returning pg_notify(?, ?)::text as told;
select model_id, documents, published
from model_stat
where space_id = ? and model_id in (?, …);
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- confirmModelChange: POST /api/project/{p}/app/{a}/model/{m}/change:confirm
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.model_id = ? AND change.custom_type_id IS NULL AND change.ended_at IS
  NULL AND change.changed_at > now() - make_interval(days => ?)
ORDER BY change.version DESC;
update model_change
set ended_at = clock_timestamp()
where space_id = ? and model_id = ? and version <= ? and custom_type_id is null and ended_at is null;
SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
  change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
  account.name, change.changed_at AS "changedAt", change.changed_at + make_interval(days => ?) AS until
FROM model_change AS change
LEFT JOIN account ON account.id = change.changed_by
WHERE change.space_id = ? AND change.model_id = ? AND change.custom_type_id IS NULL AND change.ended_at IS
  NULL AND change.changed_at > now() - make_interval(days => ?)
ORDER BY change.version DESC;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteModel: DELETE /api/project/{p}/app/{a}/model/{m}
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;
SELECT pg_advisory_xact_lock(?::int, hashtext(?));
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?
for update;
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;
update model
set deleted_at = clock_timestamp()
where space_id = ? and id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
SELECT pg_notify(?, ?)::text;
update model_stat
set documents = documents + ?, published = published + ?, version = version + 1
where space_id = ? and model_id = ?
returning pg_notify(?, ?)::text as told;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
