-- listCdnTokens: GET /api/project/{p}/cdnToken
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ?
order by token.created_at desc, token.id desc;

-- createCdnToken: POST /api/project/{p}/cdnToken
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;
insert into token (space_id, id, kind, name, value_hash, last4, app_ids, expires_at, created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?);
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- updateCdnToken: PUT /api/project/{p}/cdnToken/{id}
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?
for update of token;
update token
set id = ?, name = ?
where space_id = ? and kind = ? and id = ?;
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteCdnToken: DELETE /api/project/{p}/cdnToken/{id}
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?
for update of token;
delete from token
where space_id = ? and kind = ? and id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- refreshCdnToken: POST /api/project/{p}/cdnToken/{id}/refresh
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?
for update of token;
update token
set id = ?, value_hash = ?, last4 = ?, last_used_at = ?, created_by = ?
where space_id = ? and kind = ? and id = ?;
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- listApiTokens: GET /api/project/{p}/apiToken
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ?
order by token.created_at desc, token.id desc;

-- createApiToken: POST /api/project/{p}/apiToken
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;
insert into token (space_id, id, kind, name, value_hash, last4, app_ids, expires_at, created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?);
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- updateApiToken: PUT /api/project/{p}/apiToken/{id}
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?
for update of token;
update token
set id = ?, name = ?
where space_id = ? and kind = ? and id = ?;
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteApiToken: DELETE /api/project/{p}/apiToken/{id}
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?
for update of token;
delete from token
where space_id = ? and kind = ? and id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- refreshApiToken: POST /api/project/{p}/apiToken/{id}/refresh
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?
for update of token;
update token
set id = ?, value_hash = ?, last4 = ?, last_used_at = ?, created_by = ?
where space_id = ? and kind = ? and id = ?;
select token.id, token.name, last4, app_ids as "appIds", token.created_at as "createdAt", token.last_used_at
  as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN jsonb_build_object(
  '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email), 'isMember',
  space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
