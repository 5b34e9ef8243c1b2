-- Several times: select app
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;

-- Several times: select model by app_id
select id, uid, name, app_id as "appId"
from model
where space_id = ? and deleted_at is null and app_id = ANY(?::int[]);

-- Several times: select webhook by id
select webhook.id, webhook.name, url, method, enabled, webhook.events, targets, headers, sealed,
  has_previous_secret as "hasPreviousSecret", webhook.body, includes_before as "includesBefore",
  includes_after as "includesAfter", batch_seconds as "batchSeconds", failures, webhook.version, failing_since
  as "failingSince", held_until as "heldUntil", gone_at as "goneAt", paused_since as "pausedSince",
  paused_until as "pausedUntil", webhook.created_by as "createdBy", webhook.created_at as "createdAt",
  webhook.updated_at as "updatedAt", CASE WHEN webhook.created_by IS NOT NULL THEN jsonb_build_object( '_id',
  webhook.created_by, 'name', coalesce(nullif(account.name, ''), account.email)) END as creator, (SELECT
  jsonb_build_object('state', CASE WHEN a.reason IS NULL THEN 'sent' ELSE 'failed' END, 'at', extract(epoch
  FROM a.at) * 1000) FROM (SELECT m.id, m.attempts FROM webhook_message m WHERE m.space_id = webhook.space_id
  AND m.webhook_id = webhook.id AND m.attempts > 0 AND m.event <> 'test' ORDER BY m.sequence DESC LIMIT 20) m
  JOIN webhook_attempt a ON a.space_id = webhook.space_id AND a.message_id = m.id AND a.number = m.attempts
  ORDER BY a.at DESC LIMIT 1) as last, (SELECT count(*)::int FROM webhook_message m WHERE m.webhook_id =
  webhook.id AND m.space_id = webhook.space_id AND m.state = 'waiting') as waiting
from webhook
left join account on account.id = webhook.created_by
where webhook.space_id = ? and webhook.id = ?;

-- Several times: select webhook by id for no key update
select webhook.id, webhook.name, url, method, enabled, webhook.events, targets, headers, sealed,
  has_previous_secret as "hasPreviousSecret", webhook.body, includes_before as "includesBefore",
  includes_after as "includesAfter", batch_seconds as "batchSeconds", failures, webhook.version, failing_since
  as "failingSince", held_until as "heldUntil", gone_at as "goneAt", paused_since as "pausedSince",
  paused_until as "pausedUntil", webhook.created_by as "createdBy", webhook.created_at as "createdAt",
  webhook.updated_at as "updatedAt"
from webhook
where space_id = ? and id = ?
for no key update;

-- Several times: update webhook by id
update webhook
set name = ?, url = ?, method = ?, enabled = ?, events = ?, targets = ?, headers = ?, sealed = ?,
  has_previous_secret = ?, body = ?, includes_before = ?, includes_after = ?, batch_seconds = ?, updated_at =
  now(), version = version + 1
where space_id = ? and id = ?;

-- Several times: select model
SELECT true AS "isModel", id, app_id, public_id, uid, title_field, fields, conversions
FROM model
WHERE space_id = ? AND deleted_at IS NULL
UNION ALL
SELECT false, id, app_id, public_id, uid, NULL, fields, NULL
FROM custom_type
WHERE space_id = ?;

-- Several times: select webhook_message by webhook_id, id
SELECT m.id, m.event, jsonb_array_length(m.events) AS events, ARRAY(SELECT DISTINCT e->>'event' FROM
  jsonb_array_elements(m.events) e) AS "eventTypes", m.app_id AS "appId", m.model_id AS "modelId",
  m.document_id AS "documentId", titled.titled, m.state, m.attempts, m.next_at AS "nextAt", m.status,
  m.reason, m.took, m.created_at AS "createdAt", m.ended_at AS "endedAt", m.body, m.body_gzip AS packed, NOT
  EXISTS (SELECT FROM jsonb_array_elements(m.events) e WHERE (e->>'appId' IS NOT NULL AND (e->>'appId')::int
  <> ALL (?::int[])) OR (e->>'assetId' IS NOT NULL AND NOT ?::bool)) AS "isReadable"
FROM webhook_message m
LEFT JOIN LATERAL ( SELECT jsonb_build_object('field', field, 'value', coalesce(d.draft,
  d.pub)->model.title_field) AS titled FROM document d JOIN model ON model.id = d.model_id CROSS JOIN
  jsonb_array_elements(model.fields) field WHERE d.space_id = m.space_id AND d.model_id = m.model_id AND d.id
  = m.document_id AND field->>'_id' = model.title_field AND (?::int[] IS NULL OR model.app_id = ANY(?::int[]))
  ) titled ON true
WHERE m.space_id = ? AND m.webhook_id = ? AND m.id = ?;

-- Several times: select webhook_attempt by message_id
select at, took, status, reason, detail, headers as "requestHeaders", answer
from webhook_attempt
where space_id = ? and message_id = ?
order by number desc
limit ?;

-- Several times: select webhook_message by webhook_id
SELECT
FROM webhook_message m
WHERE m.space_id = ? AND m.webhook_id = ? AND (m.state <> 'waiting' OR m.attempts > 0) AND m.event <> 'test'
  AND (?::text[] IS NULL OR m.id = ANY(?::text[])) AND (?::text IS NULL OR m.reason IS NOT NULL) AND (?::text
  IS DISTINCT FROM 'retrying' OR m.state = 'waiting') AND (?::timestamptz IS NULL OR m.created_at >=
  ?::timestamptz) AND (?::timestamptz IS NULL OR m.created_at <= ?::timestamptz) AND EXISTS (SELECT FROM
  jsonb_array_elements(m.events) e WHERE (e->>'appId' IS NOT NULL AND (e->>'appId')::int <> ALL (?::int[])) OR
  (e->>'assetId' IS NOT NULL AND NOT ?::bool))
LIMIT 1;

-- Several times: update webhook_message by webhook_id
UPDATE webhook_message m
SET state = 'waiting', next_at = now(), ended_at = NULL, tries = 0, waiting_since = now()
WHERE m.space_id = ? AND m.webhook_id = ? AND (m.state <> 'waiting' OR m.attempts > 0) AND m.event <> 'test'
  AND (?::text[] IS NULL OR m.id = ANY(?::text[])) AND (?::text IS NULL OR m.reason IS NOT NULL) AND (?::text
  IS DISTINCT FROM 'retrying' OR m.state = 'waiting') AND (?::timestamptz IS NULL OR m.created_at >=
  ?::timestamptz) AND (?::timestamptz IS NULL OR m.created_at <= ?::timestamptz);

-- listWebhooks: GET /api/project/{p}/webhook
-- select app
-- select model by app_id
select webhook.id, webhook.name, url, method, enabled, webhook.events, targets, headers, sealed,
  has_previous_secret as "hasPreviousSecret", webhook.body, includes_before as "includesBefore",
  includes_after as "includesAfter", batch_seconds as "batchSeconds", failures, webhook.version, failing_since
  as "failingSince", held_until as "heldUntil", gone_at as "goneAt", paused_since as "pausedSince",
  paused_until as "pausedUntil", webhook.created_by as "createdBy", webhook.created_at as "createdAt",
  webhook.updated_at as "updatedAt", CASE WHEN webhook.created_by IS NOT NULL THEN jsonb_build_object( '_id',
  webhook.created_by, 'name', coalesce(nullif(account.name, ''), account.email)) END as creator, (SELECT
  jsonb_build_object('state', CASE WHEN a.reason IS NULL THEN 'sent' ELSE 'failed' END, 'at', extract(epoch
  FROM a.at) * 1000) FROM (SELECT m.id, m.attempts FROM webhook_message m WHERE m.space_id = webhook.space_id
  AND m.webhook_id = webhook.id AND m.attempts > 0 AND m.event <> 'test' ORDER BY m.sequence DESC LIMIT 20) m
  JOIN webhook_attempt a ON a.space_id = webhook.space_id AND a.message_id = m.id AND a.number = m.attempts
  ORDER BY a.at DESC LIMIT 1) as last, (SELECT count(*)::int FROM webhook_message m WHERE m.webhook_id =
  webhook.id AND m.space_id = webhook.space_id AND m.state = 'waiting') as waiting
from webhook
left join account on account.id = webhook.created_by
where webhook.space_id = ?
order by webhook.created_at desc, webhook.id desc;

-- getWebhook: GET /api/project/{p}/webhook/{id}
-- select webhook by id
-- select app
-- select model by app_id

-- createWebhook: POST /api/project/{p}/webhook
-- locks space
-- rights of member
select count(*) as count
from webhook
where space_id = ?;
-- select app
-- select model by app_id
insert into webhook (space_id, id, created_by, name, url, method, enabled, events, targets, headers, sealed,
  has_previous_secret, body, includes_before, includes_after, batch_seconds)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- select webhook by id
-- audit: webhook.create

-- updateWebhook: PATCH /api/project/{p}/webhook/{id}
-- select webhook by id for no key update
-- select app
-- select model by app_id
-- update webhook by id
-- job: webhooks.deliver
-- select webhook by id
-- audit: webhook.update

-- deleteWebhook: DELETE /api/project/{p}/webhook/{id}
-- select webhook by id for no key update
delete from webhook
where space_id = ? and id = ?;
-- audit: webhook.delete

-- refreshWebhookSecret: POST /api/project/{p}/webhook/{id}/secret
-- select webhook by id for no key update
-- update webhook by id
-- select webhook by id
-- select app
-- select model by app_id
-- audit: webhook.refreshKey

-- endPreviousWebhookSecret: DELETE /api/project/{p}/webhook/{id}/secret/previous
-- select webhook by id for no key update
-- update webhook by id
-- select webhook by id
-- select app
-- select model by app_id
-- audit: webhook.endFormerKey

-- sendWebhook: POST /api/project/{p}/webhook/{id}/send
commit;
begin;
-- enters space
-- select webhook by id for no key update
SELECT
FROM webhook_message
WHERE space_id = ? AND webhook_id = ? AND event = 'test' AND created_at > now() - make_interval(secs => ?)
LIMIT 1;
insert into webhook_message (space_id, id, webhook_id, event, events, ordering_key, app_id, model_id,
  document_id, state, next_at, ended_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
SELECT uid
FROM space
WHERE id = ? AND deleted_at IS NULL;
SELECT id, uid, name, icon, cover
FROM app
WHERE space_id = ? AND deleted_at IS NULL;
-- select model
select name
from account
where id = ?;
UPDATE webhook_message m
SET body = g.body, body_gzip = g.packed, body_length = g.length
FROM (VALUES (?, ?::text, ?::bytea, ?::int, ?::int)) AS g (id, body, packed, length, events)
WHERE m.space_id = ? AND m.id = g.id AND m.id = ANY(?::text[]) AND m.body_length IS NULL AND
  jsonb_array_length(m.events) = g.events
RETURNING m.id;
-- audit: webhook.send
commit;
begin;
-- enters space
WITH given AS ( SELECT * FROM jsonb_to_recordset(?::jsonb) AS g ("messageId" text, at timestamptz, took int,
  status int, reason text, detail text, headers jsonb, answer text, "isProbe" boolean, "nextAt" timestamptz)
  ), message AS ( UPDATE webhook_message m SET attempts = m.attempts + 1, tries = m.tries + CASE WHEN
  g."isProbe" THEN 0 ELSE 1 END, status = g.status, reason = g.reason, took = g.took, next_at = g."nextAt",
  ended_at = CASE WHEN g."nextAt" IS NULL THEN now() END, state = CASE WHEN g.reason IS NULL THEN 'sent' WHEN
  g."nextAt" IS NULL THEN 'failed' ELSE 'waiting' END FROM given g WHERE m.space_id = ? AND m.id =
  ANY(?::text[]) AND m.id = g."messageId" RETURNING m.id, m.attempts )
INSERT INTO webhook_attempt (space_id, message_id, number, at, took, status, reason, detail, headers, answer)
SELECT ?::int, message.id, message.attempts, g.at, g.took, g.status, g.reason, g.detail, g.headers, g.answer
FROM given g
JOIN message ON message.id = g."messageId";
-- select webhook by id
-- select app
-- select model by app_id
-- select webhook_message by webhook_id, id
-- select webhook_attempt by message_id
-- select app
-- select model by app_id

-- previewWebhook: POST /api/project/{p}/webhook:preview
-- select app
-- select model by app_id
SELECT d.id, d.version, d.model_id AS "modelId", model.app_id AS "appId"
FROM document d
JOIN model ON model.id = d.model_id AND model.deleted_at IS NULL
WHERE d.space_id = ? AND d.deleted_at IS NULL AND (?::bool OR d.model_id = ANY(?::int[]) OR model.app_id =
  ANY(?::int[]))
ORDER BY d.updated_at DESC
LIMIT 1;
SELECT uid
FROM space
WHERE id = ? AND deleted_at IS NULL;
SELECT id, uid, name, icon, cover
FROM app
WHERE space_id = ? AND deleted_at IS NULL;
-- select model
SELECT r.document_id AS id, r.kind, d.created_at AS "createdAt", r.created_at AS "updatedAt",
  d.first_published_at AS "firstPublishedAt", CASE WHEN r.kind = 'publish' THEN r.created_at ELSE
  d.published_at END AS "publishedAt", d.custom_order AS "customOrder", CASE WHEN ? THEN r.values END AS
values
FROM revision r
JOIN document d ON d.model_id = r.model_id AND d.id = r.document_id
WHERE r.space_id = ? AND r.model_id = ? AND r.document_id = ? AND r.version = ?
ORDER BY r.version DESC
LIMIT 1;
SELECT ?::jsonb::text AS json;
select name
from account
where id = ?;

-- listWebhookDeliveries: GET /api/project/{p}/webhook/{id}/delivery
-- select webhook by id
SELECT m.id, m.event, jsonb_array_length(m.events) AS events, ARRAY(SELECT DISTINCT e->>'event' FROM
  jsonb_array_elements(m.events) e) AS "eventTypes", m.app_id AS "appId", m.model_id AS "modelId",
  m.document_id AS "documentId", titled.titled, m.state, m.attempts, m.next_at AS "nextAt", m.status,
  m.reason, m.took, m.created_at AS "createdAt", m.ended_at AS "endedAt"
FROM webhook_message m
LEFT JOIN LATERAL ( SELECT jsonb_build_object('field', field, 'value', coalesce(d.draft,
  d.pub)->model.title_field) AS titled FROM document d JOIN model ON model.id = d.model_id CROSS JOIN
  jsonb_array_elements(model.fields) field WHERE d.space_id = m.space_id AND d.model_id = m.model_id AND d.id
  = m.document_id AND field->>'_id' = model.title_field AND (?::int[] IS NULL OR model.app_id = ANY(?::int[]))
  ) titled ON true
WHERE m.space_id = ? AND m.webhook_id = ? AND (?::text IS NULL OR m.state = ?) AND (?::text IS NULL OR
  m.events @> jsonb_build_array(jsonb_build_object('event', ?::text))) AND (?::text IS NULL OR m.sequence <
  (SELECT sequence FROM webhook_message WHERE space_id = ? AND id = ?))
ORDER BY m.sequence DESC
LIMIT ?;
-- select app
-- select model by app_id

-- getWebhookDelivery: GET /api/project/{p}/webhook/{id}/delivery/{d}
-- select webhook_message by webhook_id, id
-- select webhook_attempt by message_id
-- select app
-- select model by app_id

-- redeliverWebhookDelivery: POST /api/project/{p}/webhook/{id}/delivery/{d}/redeliver
-- select webhook_message by webhook_id, id
-- select webhook_attempt by message_id
-- select app
-- select model by app_id
-- select webhook by id for no key update
-- select webhook_message by webhook_id
-- update webhook_message by webhook_id
update webhook
set paused_until = CASE WHEN paused_until IS NOT NULL THEN least(paused_until, now()) END, held_until = ?
where space_id = ? and id = ?;
-- job: webhooks.deliver
-- select webhook by id
-- select app
-- select model by app_id
-- select webhook_message by webhook_id, id
-- select webhook_attempt by message_id
-- select app
-- select model by app_id
-- audit: webhook.replay

-- redeliverWebhook: POST /api/project/{p}/webhook/{id}/delivery:redeliver
-- select webhook by id for no key update
-- select webhook_message by webhook_id
-- update webhook_message by webhook_id
update webhook
set paused_until = CASE WHEN paused_until IS NOT NULL THEN least(paused_until, now()) END, held_until = ?
where space_id = ? and id = ?;
-- job: webhooks.deliver
-- select webhook by id
-- select app
-- select model by app_id
-- audit: webhook.replay
