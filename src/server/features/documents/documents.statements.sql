-- Several times: select space by id
SELECT uid
FROM space
WHERE id = ? AND deleted_at IS NULL;

-- Several times: select app
SELECT id, uid, name, icon, cover
FROM app
WHERE space_id = ? AND deleted_at IS NULL;

-- Several times: select model
SELECT true AS "isModel", id, app_id, public_id, uid, title_field, fields, conversions
FROM model
WHERE space_id = ? AND deleted_at IS NULL
UNION ALL
SELECT false, id, app_id, public_id, uid, NULL, fields, NULL
FROM custom_type
WHERE space_id = ?;

-- Several times: select account by id
select id, name
from account
where id in (?, …);

-- Several times: select space_document
SELECT string_agg(decode(q.id, 'hex'), '') AS ids
FROM (SELECT d.id, d.created_at, d.first_published_at, d.published_at, d.custom_order, d.version,
  d.created_by, d.updated_by, d.updated_at AS updated_at, coalesce(d.draft, d.pub) AS body, (CASE WHEN
  d.published_at IS NULL THEN 'draft' WHEN d.draft IS NULL THEN 'published' ELSE 'changed' END) AS status FROM
  space_document d WHERE d.model_id = <id> AND d.deleted_at IS NULL ORDER BY d.updated_at DESC, d.id LIMIT
  9007199254740991) q;

-- Several times: select model by app_id, uid
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?;

-- Several times: select document
SELECT q.id, q.json, q.created_at AS "createdAt", q.updated_at AS "updatedAt", q.first_published_at AS
  "firstPublishedAt", q.published_at AS "publishedAt", q.custom_order AS "customOrder", q.version, q.status,
  q.created_by AS "createdBy", q.updated_by AS "updatedBy"
FROM (SELECT *, body::text AS json FROM (SELECT d.id, d.created_at, d.first_published_at, d.published_at,
  d.custom_order, d.version, d.created_by, d.updated_by, d.updated_at AS updated_at, coalesce(d.draft, d.pub)
  AS body, (CASE WHEN d.published_at IS NULL THEN 'draft' WHEN d.draft IS NULL THEN 'published' ELSE 'changed'
  END) AS status FROM document d WHERE d.model_id = <id> AND d.deleted_at IS NULL AND d.id = ANY(?::text[]))
  q) q;

-- Several times: with turn
WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(?::int, hashtext(?)))
SELECT found.*, clock_timestamp()::timestamptz(3) AS now, set_config('plan_cache_mode', 'force_generic_plan',
  true) AS planning, ( SELECT jsonb_object_agg(other.uid, other.id) FROM ((select model.* from model where
  model.space_id = ? and model.app_id = ? and model.deleted_at is null)) AS other) AS ids
FROM ((select model.* from model where model.space_id = ? and model.app_id = ? and model.deleted_at is null
  and model.uid = ? and EXISTS (SELECT FROM turn) for share)) AS found;

-- Several times: with written
with written as (insert into document (space_id, model_id, id, version, shape, draft, pub, published_version,
  custom_order, created_at, updated_at, first_published_at, published_at, published_updated_at, deleted_at,
  trashed_published_version, trashed_published_at, trashed_published_updated_at, created_by, updated_by)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))
insert into revision (space_id, model_id, document_id, version, kind, source, blind, values, created_at,
  created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp(), ?);

-- Several times: select document by model_id, id
select *
from document
where space_id = ? and model_id = ? and deleted_at is null and id = ?;

-- Several times: select document (2)
select *, clock_timestamp()::timestamptz(3) as "lockedAt"
from (select * from document where space_id = ? and model_id = ? and deleted_at is null and id = ? for no key
  update) as locked;

-- Several times: with written (2)
with written as (update document set version = ?, shape = ?, draft = ?, pub = ?, published_version = ?,
  custom_order = ?, created_at = ?, updated_at = ?, first_published_at = ?, published_at = ?,
  published_updated_at = ?, deleted_at = ?, trashed_published_version = ?, trashed_published_at = ?,
  trashed_published_updated_at = ?, created_by = ?, updated_by = ? where space_id = ? and model_id = ? and id
  = ?)
insert into revision (space_id, model_id, document_id, version, kind, source, blind, values, created_at,
  created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp(), ?);

-- Several times: insert document_text
INSERT INTO document_text (space_id, model_id, document_id, stage, texts, grams)
SELECT ?::int, ?::int, given.*
FROM jsonb_to_recordset(?::jsonb) AS given (id text, stage smallint, texts jsonb, grams int[])
ON CONFLICT (model_id, document_id, stage)
DO UPDATE SET texts = excluded.texts, grams = excluded.grams
WHERE document_text.texts IS DISTINCT
FROM excluded.texts;

-- Several times: with wanted
WITH wanted AS (SELECT from_id, to_model_id, to_id FROM unnest(?::text[], ?::int[], ?::text[]) AS direct
  (from_id, to_model_id, to_id)), gone AS ( DELETE FROM document_reference AS reference WHERE
  reference.space_id = ? AND reference.from_model_id = ? AND reference.from_id = ANY(?::text[]) AND NOT EXISTS
  (SELECT FROM wanted WHERE wanted.from_id = reference.from_id AND wanted.to_model_id = reference.to_model_id
  AND wanted.to_id = reference.to_id))
INSERT INTO document_reference (space_id, from_model_id, from_id, to_model_id, to_id)
SELECT ?::int, ?::int, from_id, to_model_id, to_id
FROM wanted AS wanted
ON CONFLICT DO NOTHING;

-- Several times: with used
WITH used AS (SELECT * FROM unnest(?::text[], ?::text[]) AS used (document_id, asset_id)), gone AS ( DELETE
  FROM asset_reference AS reference WHERE reference.space_id = ? AND reference.model_id = ? AND
  reference.document_id = ANY(?::text[]) AND NOT EXISTS (SELECT FROM used WHERE used.document_id =
  reference.document_id AND used.asset_id = reference.asset_id))
INSERT INTO asset_reference (space_id, model_id, document_id, asset_id)
SELECT ?::int, ?::int, document_id, asset_id
FROM used
ON CONFLICT DO NOTHING;

-- Several times: with turn (2)
WITH turn AS MATERIALIZED (SELECT WHERE false)
SELECT found.*, clock_timestamp()::timestamptz(3) AS now, ? AS planning, ( SELECT jsonb_object_agg(other.uid,
  other.id) FROM ((select model.* from model where model.space_id = ? and model.app_id = ? and
  model.deleted_at is null)) AS other) AS ids
FROM ((select model.* from model where model.space_id = ? and model.app_id = ? and model.deleted_at is null
  and model.uid = ?)) AS found;

-- listDocuments: GET /api/project/{p}/app/{a}/model/{m}/doc
-- select space by id
-- select app
-- select model
SELECT q.id, q.json, q.created_at AS "createdAt", q.updated_at AS "updatedAt", q.first_published_at AS
  "firstPublishedAt", q.published_at AS "publishedAt", q.custom_order AS "customOrder", q.version, q.status,
  q.created_by AS "createdBy", q.updated_by AS "updatedBy", (SELECT s.documents FROM model_stat s WHERE
  s.model_id = <id>) AS counter
FROM (SELECT *, CASE WHEN sum(octet_length(text)) OVER () <= 33554432 THEN text END AS json FROM (SELECT *,
  body::text AS text FROM (SELECT d.id, d.created_at, d.first_published_at, d.published_at, d.custom_order,
  d.version, d.created_by, d.updated_by, d.updated_at AS updated_at, coalesce(d.draft, d.pub) AS body, (CASE
  WHEN d.published_at IS NULL THEN 'draft' WHEN d.draft IS NULL THEN 'published' ELSE 'changed' END) AS status
  FROM space_document d WHERE d.model_id = <id> AND d.deleted_at IS NULL ORDER BY d.updated_at DESC, d.id
  LIMIT 50) q OFFSET 0) q) q;
-- select account by id

-- exportCsv: GET /api/project/{p}/app/{a}/model/{m}/doc/export.csv
commit;
begin;
-- enters space
-- select space by id
-- select app
-- select model
-- select space_document
-- select model by app_id, uid
-- audit: model.export
commit;
begin;
-- enters space
-- select space by id
-- select app
-- select model
-- select document
-- select account by id

-- exportJson: GET /api/project/{p}/app/{a}/model/{m}/doc/export.json
commit;
begin;
-- enters space
-- select space by id
-- select app
-- select model
-- select space_document
-- select model by app_id, uid
-- audit: model.export
commit;
begin;
-- enters space
-- select space by id
-- select app
-- select model
-- select document
-- select account by id

-- createDocument: POST /api/project/{p}/app/{a}/model/{m}/doc
-- with turn
-- with written
INSERT INTO document_text (space_id, model_id, document_id, stage, texts, grams)
SELECT ?::int, ?::int, given.*
FROM jsonb_to_recordset(?::jsonb) AS given (id text, stage smallint, texts jsonb, grams int[]);
-- event: document.created
-- counts documents
-- audit: document.create

-- getDocument: GET /api/project/{p}/app/{a}/model/{m}/doc/{id}
-- select model by app_id, uid
-- select document by model_id, id
-- select account by id

-- previewDocument: GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/api
-- select space by id
-- select app
-- select model
SELECT q.id, q.json, q.created_at AS "createdAt", q.updated_at AS "updatedAt", q.first_published_at AS
  "firstPublishedAt", q.published_at AS "publishedAt", q.custom_order AS "customOrder"
FROM (SELECT *, body::text AS json FROM (SELECT d.id, d.created_at, d.first_published_at, d.published_at,
  d.custom_order, d.updated_at AS updated_at, coalesce(d.draft, d.pub) AS body FROM document d WHERE
  d.model_id = <id> AND d.deleted_at IS NULL AND d.id = ANY(?::text[])) q) q;

-- updateDocument: PUT /api/project/{p}/app/{a}/model/{m}/doc/{id}
-- with turn
-- select document (2)
-- with written (2)
-- insert document_text
-- with wanted
-- with used
-- event: document.saved
-- counts documents
-- select account by id
-- audit: document.save

-- duplicateDocument: POST /api/project/{p}/app/{a}/model/{m}/doc/{id}/duplicate
-- with turn
-- select document (2)
-- with written
INSERT INTO document_text (space_id, model_id, document_id, stage, texts, grams)
SELECT ?::int, ?::int, given.*
FROM jsonb_to_recordset(?::jsonb) AS given (id text, stage smallint, texts jsonb, grams int[]);
-- event: document.created
-- counts documents
-- audit: document.create

-- deleteDocument: DELETE /api/project/{p}/app/{a}/model/{m}/doc/{id}
-- with turn
select *, clock_timestamp()::timestamptz(3) as "lockedAt"
from (select * from document where space_id = ? and model_id = ? and deleted_at is null and id = ? for update)
  as locked;
-- with written (2)
-- event: document.deleted
-- counts documents
-- audit: document.delete

-- listRevisions: GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/revisions
-- select model by app_id, uid
-- select document by model_id, id
select version, kind, source, created_at, created_by, author
from revision
where space_id = ? and model_id = ? and document_id = ?
order by version desc
limit ?;
-- select account by id

-- listChangeAuthors: GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/changeAuthors
-- select model by app_id, uid
-- select document by model_id, id
with compared as (select version, created_by, created_at, md5((SELECT jsonb_object_agg(key, value) FROM
  jsonb_each(values) WHERE key = ANY(?::text[]))::text) as digest from revision where space_id = ? and
  model_id = ? and document_id = ? and version >= ? order by version desc limit ?), followed as (select
  version, created_by, created_at, digest, lag(digest) OVER (ORDER BY version) as former, lag(version) OVER
  (ORDER BY version) as former_version from compared)
select created_by, max(created_at) as created_at
from followed
where former_version is not null and digest is distinct
from former
group by created_by
order by max(version);

-- getRevision: GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/revision/{revision}
-- select model by app_id, uid
-- select document by model_id, id
select version, kind, source, created_at, created_by, author,
values
from revision
where space_id = ? and model_id = ? and document_id = ? and version = ?;
-- select account by id

-- listReferences: GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/references
-- select model by app_id, uid
-- select document by model_id, id
-- models of app
SELECT document.id, model.uid, document.shape, CASE WHEN model.title_field IS NULL THEN '{}' ELSE
  jsonb_strip_nulls(jsonb_build_object( model.title_field, coalesce(document.draft,
  document.pub)->model.title_field)) END AS title, document.published_at IS NOT NULL AS published, count(*)
  OVER () AS total
FROM (SELECT DISTINCT from_model_id, from_id FROM document_reference WHERE space_id = ? AND to_model_id = ?
  AND to_id = ?) AS reference
JOIN document ON document.space_id = ? AND document.model_id = reference.from_model_id AND document.id =
  reference.from_id AND document.deleted_at IS NULL
JOIN model ON model.space_id = ? AND model.app_id = ? AND model.id = document.model_id AND model.deleted_at IS
  NULL AND model.id = ANY(?::int[])
ORDER BY document.updated_at DESC, document.id
LIMIT ?;

-- validateDocument: POST /api/project/{p}/app/{a}/model/{m}/doc/validate
-- with turn (2)

-- validateField: POST /api/project/{p}/app/{a}/model/{m}/doc/validateField
-- with turn (2)

-- listMissingAssets: POST /api/project/{p}/app/{a}/model/{m}/doc/missingAssets
-- with turn (2)
SELECT DISTINCT use.document_id AS id
FROM asset_reference AS use
WHERE use.space_id = ? AND use.model_id = ? AND use.document_id = ANY(?::text[]) AND NOT EXISTS (SELECT FROM
  asset WHERE asset.space_id = use.space_id AND asset.id = use.asset_id AND asset.deleted_at IS NULL)
ORDER BY 1;

-- bulkPublish: POST /api/project/{p}/app/{a}/model/{m}/doc/bulkPublish
-- with turn
SAVEPOINT item;
-- select document (2)
-- with written (2)
DELETE FROM document_text AS text
USING unnest(?::text[], ?::smallint[]) AS gone (id, stage)
WHERE text.space_id = ? AND text.model_id = ? AND text.document_id = gone.id AND text.stage = gone.stage;
-- insert document_text
-- with wanted
-- with used
-- event: document.published
RELEASE SAVEPOINT item;
-- counts documents
-- audit: document.publish

-- bulkUnpublish: POST /api/project/{p}/app/{a}/model/{m}/doc/bulkUnpublish
-- with turn
SAVEPOINT item;
-- select document (2)
-- with written (2)
DELETE FROM document_text AS text
USING unnest(?::text[], ?::smallint[]) AS gone (id, stage)
WHERE text.space_id = ? AND text.model_id = ? AND text.document_id = gone.id AND text.stage = gone.stage;
-- insert document_text
-- with wanted
-- with used
-- event: document.unpublished
RELEASE SAVEPOINT item;
-- counts documents
-- audit: document.unpublish

-- bulkDelete: POST /api/project/{p}/app/{a}/model/{m}/doc/bulkDelete
-- with turn
SAVEPOINT item;
select *, clock_timestamp()::timestamptz(3) as "lockedAt"
from (select * from document where space_id = ? and model_id = ? and deleted_at is null and id = ? for update)
  as locked;
-- with written (2)
-- event: document.deleted
RELEASE SAVEPOINT item;
-- counts documents
-- audit: document.delete

-- bulkRestore: POST /api/project/{p}/app/{a}/model/{m}/doc/bulkRestore
-- with turn
SAVEPOINT item;
select *, clock_timestamp()::timestamptz(3) as "lockedAt"
from (select * from document where space_id = ? and model_id = ? and id = ? and (deleted_at is null or
  deleted_at > clock_timestamp() - make_interval(days => ?)) for no key update) as locked;
-- with written (2)
-- event: document.restored
RELEASE SAVEPOINT item;
-- counts documents
-- audit: document.restore

-- listTrash: GET /api/project/{p}/app/{a}/model/{m}/doc/trash
-- select model by app_id, uid
SELECT document.id, document.shape, document.trashed_published_version IS NOT NULL AS published,
  document.deleted_at AS "deletedAt", document.created_by AS "createdBy", revision.created_by AS "deletedBy",
  CASE WHEN model.title_field IS NULL THEN '{}' ELSE jsonb_strip_nulls(jsonb_build_object( model.title_field,
  document.draft->model.title_field)) END AS title
FROM ((select * from document where space_id = ? and model_id = ? and deleted_at is not null and deleted_at >
  clock_timestamp() - make_interval(days => ?) order by deleted_at desc, id limit ? offset ?)) AS document
JOIN model ON model.space_id = ? AND model.id = ?
JOIN revision ON revision.space_id = ? AND revision.model_id = ? AND revision.document_id = document.id AND
  revision.version = document.version
ORDER BY document.deleted_at DESC, document.id;
select count(*) as total
from document
where space_id = ? and model_id = ? and deleted_at is not null and deleted_at > clock_timestamp() -
  make_interval(days => ?);
-- select account by id

-- updateCustomOrder: POST /api/project/{p}/app/{a}/model/{m}/doc/updateCustomOrder
SELECT pg_advisory_xact_lock(?::int, hashtext(?));
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?
for update;
select id
from document
where space_id = ? and model_id = ? and deleted_at is null and id = ANY(?::text[]);
WITH ranked AS ( SELECT document.id, row_number() OVER (ORDER BY given.position NULLS LAST, custom_order,
  document.id) AS rank FROM document LEFT JOIN unnest(?::text[]) WITH ORDINALITY AS given (id, position) ON
  given.id = document.id WHERE space_id = ? AND model_id = ? AND deleted_at IS NULL AND (given.id IS NOT NULL
  OR custom_order IS NOT NULL))
UPDATE document
SET custom_order = ranked.rank
FROM ranked
WHERE document.space_id = ? AND document.model_id = ? AND document.id = ranked.id AND document.custom_order IS
  DISTINCT
FROM ranked.rank;
-- event: document.customOrderChanged
-- counts documents
-- audit: document.reorder

-- resetCustomOrder: POST /api/project/{p}/app/{a}/model/{m}/doc/resetCustomOrder
SELECT pg_advisory_xact_lock(?::int, hashtext(?));
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null and model.uid = ?
for update;
update document
set custom_order = ?
where space_id = ? and model_id = ? and custom_order is not null;
-- event: document.customOrderChanged
-- counts documents
-- audit: document.resetOrder
