-- Several times: select app
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;

-- Several times: select token by kind
select token.id, token.name, last4, app_ids as "appIds", token.writes, token.created_at as "createdAt",
  token.last_used_at as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN
  jsonb_build_object( '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email),
  'isMember', space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ?
order by token.created_at desc, token.id desc;

-- Several times: select token by kind, id
select token.id, token.name, last4, app_ids as "appIds", token.writes, token.created_at as "createdAt",
  token.last_used_at as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN
  jsonb_build_object( '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email),
  'isMember', space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?;

-- Several times: select token by kind, id (2)
select token.id, token.name, last4, app_ids as "appIds", token.writes, token.created_at as "createdAt",
  token.last_used_at as "lastUsedAt", expires_at as "expiresAt", CASE WHEN token.created_by IS NOT NULL THEN
  jsonb_build_object( '_id', token.created_by, 'name', coalesce(nullif(account.name, ''), account.email),
  'isMember', space_member.id IS NOT NULL) END as "createdBy"
from token
left join account on account.id = token.created_by
left join space_member on space_member.space_id = token.space_id and space_member.account_id =
  token.created_by
where token.space_id = ? and kind = ? and token.id = ?
for update of token;

-- listCdnTokens: GET /api/project/{p}/cdnToken
-- select app
-- select token by kind

-- createCdnToken: POST /api/project/{p}/cdnToken
-- select app
insert into token (space_id, id, kind, name, value_hash, last4, app_ids, writes, expires_at, created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- select token by kind, id
-- event: token.created
-- audit: token.create

-- updateCdnToken: PUT /api/project/{p}/cdnToken/{id}
-- select app
-- select token by kind, id (2)
update token
set id = ?, name = ?
where space_id = ? and kind = ? and id = ?;
-- select token by kind, id
-- event: token.updated
-- audit: token.update

-- deleteCdnToken: DELETE /api/project/{p}/cdnToken/{id}
-- select token by kind, id (2)
delete from token
where space_id = ? and kind = ? and id = ?;
-- event: token.deleted
-- audit: token.delete

-- refreshCdnToken: POST /api/project/{p}/cdnToken/{id}/refresh
-- select token by kind, id (2)
update token
set id = ?, value_hash = ?, last4 = ?, last_used_at = ?, created_by = ?
where space_id = ? and kind = ? and id = ?;
-- select token by kind, id
-- event: token.refreshed
-- select app
-- audit: token.refresh

-- listApiTokens: GET /api/project/{p}/apiToken
-- select app
-- select token by kind

-- createApiToken: POST /api/project/{p}/apiToken
-- select app
insert into token (space_id, id, kind, name, value_hash, last4, app_ids, writes, expires_at, created_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- select token by kind, id
-- event: token.created
-- audit: token.create

-- updateApiToken: PUT /api/project/{p}/apiToken/{id}
-- select app
-- select token by kind, id (2)
update token
set id = ?, name = ?
where space_id = ? and kind = ? and id = ?;
-- select token by kind, id
-- event: token.updated
-- audit: token.update

-- deleteApiToken: DELETE /api/project/{p}/apiToken/{id}
-- select token by kind, id (2)
delete from token
where space_id = ? and kind = ? and id = ?;
-- event: token.deleted
-- audit: token.delete

-- refreshApiToken: POST /api/project/{p}/apiToken/{id}/refresh
-- select token by kind, id (2)
update token
set id = ?, value_hash = ?, last4 = ?, last_used_at = ?, created_by = ?
where space_id = ? and kind = ? and id = ?;
-- select token by kind, id
-- event: token.refreshed
-- select app
-- audit: token.refresh
