-- Several times: select unnest
SELECT wanted.space, wanted.form, form.space_id AS "spaceId", form.id, form.name, form.enabled, form.version,
  CASE WHEN (form.id, form.version) <> (wanted.id, wanted.version) THEN form.fields END AS fields,
  form.origins, form.thanks_url AS "thanksUrl", form.thanks_message AS "thanksMessage"
FROM unnest(?::text[], ?::text[], ?::text[], ?::int[]) AS wanted (space, form, id, version)
JOIN space ON lower(space.uid) = wanted.space AND space.deleted_at IS NULL
JOIN form ON form.space_id = space.id AND form.key = wanted.form AND form.deleted_at IS NULL;

-- Several times: select form by id
select id, key, name, enabled, fields, origins, thanks_url as "thanksUrl", thanks_message as "thanksMessage",
  retention_days as "retentionDays", notification, reply, version, created_at as "createdAt", updated_at as
  "updatedAt", deleted_at as "deletedAt", NULL as "newSubmissions", NULL as "lastReceivedAt"
from form
where space_id = ? and id = ?;

-- Several times: select form_submission by id
SELECT f.id, f.state, f.email, f.file_count AS "fileCount", f.received_at AS "receivedAt", f.deleted_at AS
  "deletedAt", (SELECT coalesce(json_agg(shown), '[]') FROM ( SELECT name, value FROM
  json_array_elements(f.values) WITH ORDINALITY AS sent (item, n) CROSS JOIN LATERAL (SELECT item->>'name' AS
  name, CASE WHEN json_typeof(item->'value') = 'array' THEN (SELECT left(string_agg(left(part, 120), ', '),
  120) FROM (SELECT part FROM json_array_elements_text(item->'value') AS part WHERE part <> '' LIMIT 120)
  parts) ELSE left(item->>'value', 120) END AS value) texts WHERE value ~ '\S' ORDER BY n LIMIT 4) shown) AS
  preview, f.form_id AS "formId", f.values, CASE WHEN f.file_count = 0 THEN '[]' ELSE ( SELECT
  coalesce(json_agg(json_build_object('_id', file.id, 'name', file.field, 'fileName', file.file_name,
  'fileType', file.media_type, 'fileSize', file.size) ORDER BY file.field, file.file_name, file.id), '[]')
  FROM form_file file WHERE file.space_id = f.space_id AND file.submission_id = f.id) END AS files, f.page,
  f.language, f.reply_state AS "replyState", f.updated_at AS "updatedAt"
FROM form_submission f
WHERE f.space_id = ? AND f.id = ?;

-- Several times: select form_submission by id for no key update
select form_id, id, state, deleted_at as "deletedAt"
from form_submission
where space_id = ? and id = ANY(?::text[])
order by id
for no key update;

-- Several times: with page
WITH page AS MATERIALIZED ( SELECT p.id, p.received_at FROM unnest(?::text[]) AS s (state) CROSS JOIN LATERAL
  ( SELECT f.id, f.received_at FROM form_submission f WHERE f.space_id = ? AND f.form_id = ? AND f.state =
  s.state AND f.deleted_at IS NULL AND (f.received_at, f.id) < (?::timestamptz, ?) ORDER BY f.received_at
  DESC, f.id DESC LIMIT 200) p ORDER BY p.received_at DESC, p.id DESC LIMIT 200), sized AS (SELECT f.*,
  sum(octet_length(f.values::text)) OVER (ORDER BY f.received_at DESC, f.id DESC ROWS BETWEEN UNBOUNDED
  PRECEDING AND 1 PRECEDING) AS before FROM page JOIN form_submission f ON f.space_id = ? AND f.id = page.id)
SELECT f.id, f.state, f.email, f.page, f.language, f.received_at AS "receivedAt", f.values, CASE WHEN
  f.file_count = 0 THEN '[]' ELSE ( SELECT coalesce(json_agg(json_build_object('_id', file.id, 'name',
  file.field, 'fileName', file.file_name, 'fileType', file.media_type, 'fileSize', file.size) ORDER BY
  file.field, file.file_name, file.id), '[]') FROM form_file file WHERE file.space_id = f.space_id AND
  file.submission_id = f.id) END AS files
FROM sized f
WHERE coalesce(f.before, 0) < ?
ORDER BY f.received_at DESC, f.id DESC;

-- Several times: select form by id (2)
select id, key, name, enabled, fields, origins, thanks_url as "thanksUrl", thanks_message as "thanksMessage",
  retention_days as "retentionDays", notification, reply, version, created_at as "createdAt", updated_at as
  "updatedAt", deleted_at as "deletedAt", (SELECT count(*)::int FROM (SELECT FROM form_submission s WHERE
  s.space_id = form.space_id AND s.form_id = form.id AND s.state = 'new' AND s.deleted_at IS NULL LIMIT 1000)
  counted) as "newSubmissions", (SELECT s.received_at FROM form_submission s WHERE s.space_id = form.space_id
  AND s.form_id = form.id ORDER BY s.received_at DESC LIMIT 1) as "lastReceivedAt"
from form
where space_id = ? and id = ?;

-- Several times: select form by id for no key update
select id, key, name, enabled, fields, origins, thanks_url as "thanksUrl", thanks_message as "thanksMessage",
  retention_days as "retentionDays", notification, reply, version, created_at as "createdAt", updated_at as
  "updatedAt", deleted_at as "deletedAt"
from form
where space_id = ? and id = ?
for no key update;

-- submitForm: POST /api/forms/{p}/{formId}
-- select unnest
begin;
select id, uid, name, plan, time_zone, created_at, updated_at, set_config('imori.space_id', space.id::text,
  true) || set_config('role', 'imori_member', true) as entered
from space
where space.id = ?::int and deleted_at is null;
INSERT INTO form_submission (space_id, id, form_id, values, email, page, language, file_count,
  awaits_notification, awaits_reply)
SELECT form.space_id, sent.id, form.id, sent.value::json, sent.email, sent.page, sent.language, ?::int,
  ?::bool AND form.notification->'to' <> '[]', ?::bool AND sent.email IS NOT NULL AND
  (form.reply->>'enabled')::bool
FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) AS sent (id, form, value, email,
  page, language)
JOIN form ON form.space_id = ?::int AND form.id = sent.form AND form.enabled AND form.deleted_at IS NULL
ON CONFLICT (space_id, id) DO NOTHING
RETURNING id, form_id AS "formId", awaits_notification OR awaits_reply AS "awaitsMails";

-- getFormThanks: GET /api/forms/{p}/{formId}/thanks
-- select unnest

-- listSubmissions: GET /api/project/{p}/form/{id}/message
-- select form by id
WITH page AS MATERIALIZED ( SELECT p.id, p.received_at FROM unnest(?::text[]) AS s (state) CROSS JOIN LATERAL
  ( SELECT f.id, f.received_at FROM form_submission f WHERE f.space_id = ? AND f.form_id = ? AND f.state =
  s.state AND f.deleted_at IS NULL ORDER BY f.received_at DESC, f.id DESC LIMIT 51) p ORDER BY p.received_at
  DESC, p.id DESC LIMIT 51)
SELECT f.id, f.state, f.email, f.file_count AS "fileCount", f.received_at AS "receivedAt", f.deleted_at AS
  "deletedAt", (SELECT coalesce(json_agg(shown), '[]') FROM ( SELECT name, value FROM
  json_array_elements(f.values) WITH ORDINALITY AS sent (item, n) CROSS JOIN LATERAL (SELECT item->>'name' AS
  name, CASE WHEN json_typeof(item->'value') = 'array' THEN (SELECT left(string_agg(left(part, 120), ', '),
  120) FROM (SELECT part FROM json_array_elements_text(item->'value') AS part WHERE part <> '' LIMIT 120)
  parts) ELSE left(item->>'value', 120) END AS value) texts WHERE value ~ '\S' ORDER BY n LIMIT 4) shown) AS
  preview
FROM page
JOIN form_submission f ON f.space_id = ? AND f.id = page.id
ORDER BY page.received_at DESC, page.id DESC;
SELECT s.state, (SELECT count(*)::int FROM (SELECT FROM form_submission f WHERE f.space_id = ? AND f.form_id =
  ? AND f.state = s.state AND f.deleted_at IS NULL LIMIT 1000) counted) AS count
FROM unnest(?::text[]) AS s (state);

-- getSubmission: GET /api/project/{p}/form/{id}/message/{s}
-- select form by id
-- select form_submission by id

-- updateSubmission: PATCH /api/project/{p}/form/{id}/message/{s}
-- select form by id
-- select form_submission by id for no key update
update form_submission
set state = ?, updated_at = now()
where space_id = ? and id = ANY(?::text[]);
-- select form by id
-- select form_submission by id
-- audit: submission.update

-- bulkUpdateSubmissions: POST /api/project/{p}/form/{id}/message:bulkUpdate
-- select form by id
-- select form_submission by id for no key update
update form_submission
set state = ?, updated_at = now()
where space_id = ? and id = ANY(?::text[]);
-- audit: submission.update

-- bulkDeleteSubmissions: POST /api/project/{p}/form/{id}/message:bulkDelete
-- select form by id
-- select form_submission by id for no key update
update form_submission
set deleted_at = now(), updated_at = now()
where space_id = ? and id = ANY(?::text[]);
-- audit: submission.delete

-- bulkRestoreSubmissions: POST /api/project/{p}/form/{id}/message:bulkRestore
-- select form by id
-- select form_submission by id for no key update
update form_submission
set deleted_at = ?, updated_at = now()
where space_id = ? and id = ANY(?::text[]);
-- audit: submission.restore

-- exportSubmissions: GET /api/project/{p}/form/{id}/message:export
commit;
begin;
-- enters space
-- select form by id
SELECT count(*)::int AS count, now() AS now
FROM (SELECT FROM form_submission f WHERE f.space_id = ? AND f.form_id = ? AND f.state = ANY(?::text[]) AND
  f.deleted_at IS NULL LIMIT 2000000) counted;
-- audit: submission.export
commit;
begin;
-- enters space
WITH page AS MATERIALIZED ( SELECT p.id, p.received_at FROM unnest(?::text[]) AS s (state) CROSS JOIN LATERAL
  ( SELECT f.id, f.received_at FROM form_submission f WHERE f.space_id = ? AND f.form_id = ? AND f.state =
  s.state AND f.deleted_at IS NULL AND (f.received_at, f.id) < (?::timestamptz, ?) ORDER BY f.received_at
  DESC, f.id DESC LIMIT 1000) p ORDER BY p.received_at DESC, p.id DESC LIMIT 1000), sent AS (SELECT
  f.received_at, f.id, name, n FROM page JOIN form_submission f ON f.space_id = ? AND f.id = page.id CROSS
  JOIN LATERAL ( SELECT item->>'name' AS name, n FROM json_array_elements(f.values) WITH ORDINALITY AS value
  (item, n) UNION ALL SELECT file.field, ? FROM form_file file WHERE f.file_count > 0 AND file.space_id =
  f.space_id AND file.submission_id = f.id) names), found AS (SELECT name, min(n) AS n, max(received_at) AS at
  FROM sent GROUP BY name ORDER BY max(received_at) DESC, min(n), name LIMIT ?)
SELECT (SELECT array_agg(name ORDER BY at DESC, n, name) FROM found) AS names, last.id, last.received_at AS
  "receivedAt"
FROM (SELECT 1) one
LEFT JOIN (SELECT id, received_at FROM page ORDER BY received_at DESC, id DESC OFFSET ? LIMIT 1) last ON true;
commit;
begin;
-- enters space
-- with page
commit;
begin;
-- enters space
-- with page

-- getSubmissionFile: GET /api/project/{p}/form/{id}/message/{s}/file/{f}
commit;
begin;
-- enters space
-- select form by id
select file_name as "fileName", size, storage, storage_key as "storageKey"
from form_file
where space_id = ? and form_id = ? and submission_id = ? and id = ?;
-- audit: submission.downloadFile

-- listForms: GET /api/project/{p}/form
select id, key, name, enabled, fields, origins, thanks_url as "thanksUrl", thanks_message as "thanksMessage",
  retention_days as "retentionDays", notification, reply, version, created_at as "createdAt", updated_at as
  "updatedAt", deleted_at as "deletedAt", (SELECT count(*)::int FROM (SELECT FROM form_submission s WHERE
  s.space_id = form.space_id AND s.form_id = form.id AND s.state = 'new' AND s.deleted_at IS NULL LIMIT 1000)
  counted) as "newSubmissions", (SELECT s.received_at FROM form_submission s WHERE s.space_id = form.space_id
  AND s.form_id = form.id ORDER BY s.received_at DESC LIMIT 1) as "lastReceivedAt"
from form
where space_id = ? and deleted_at is null
order by name, id;

-- getForm: GET /api/project/{p}/form/{id}
-- select form by id (2)

-- createForm: POST /api/project/{p}/form
-- locks space
-- rights of member
select count(*) as count
from form
where space_id = ?;
insert into form (space_id, id, key, name, enabled, fields, origins, thanks_url, thanks_message,
  retention_days, notification, reply)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (space_id, key) do nothing;
-- event: form.created
-- select form by id (2)
-- audit: form.create

-- updateForm: PUT /api/project/{p}/form/{id}
-- select form by id for no key update
update form
set name = ?, enabled = ?, fields = ?, origins = ?, thanks_url = ?, thanks_message = ?, retention_days = ?,
  notification = ?, reply = ?, updated_at = now(), version = version + 1
where space_id = ? and id = ?;
-- event: form.updated
-- select form by id (2)
-- audit: form.update

-- deleteForm: DELETE /api/project/{p}/form/{id}
-- select form by id for no key update
update form
set deleted_at = now()
where space_id = ? and id = ?;
-- event: form.deleted
-- audit: form.delete

-- restoreForm: POST /api/project/{p}/form/{id}:restore
-- select form by id for no key update
update form
set deleted_at = ?
where space_id = ? and id = ?;
SELECT count(*)::int AS count
FROM (SELECT FROM form_submission WHERE space_id = ? AND form_id = ? AND awaits_notification LIMIT ?) AS
  awaiting;
SELECT count(*)::int AS count
FROM (SELECT FROM form_submission WHERE space_id = ? AND form_id = ? AND awaits_reply LIMIT ?) AS awaiting;
-- event: form.restored
-- select form by id (2)
-- audit: form.restore

-- previewFormMail: POST /api/project/{p}/form/{id}/mail:preview
-- select form by id

-- testFormMail: POST /api/project/{p}/form/{id}/mail:test
-- select form by id
rollback;
