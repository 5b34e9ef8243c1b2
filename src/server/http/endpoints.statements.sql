-- Listed by name elsewhere: session
select session.id_hash, session.csrf_token, session.last_seen_at, session.created_at, account.id,
  account.email, account.name, account.is_admin, account.language, account.color_scheme, account.icon_id,
  account.email_verified_at, session.own_means, session.sso_space_id, session.sso_connection_id,
  session.sso_at
from session
inner join account on account.id = session.account_id
where session.id_hash = ? and session.last_seen_at > now() - make_interval(hours => ?) and session.created_at
  > now() - make_interval(days => ?);

-- Listed by name elsewhere: enters space
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;

-- Listed by name elsewhere: enters space, with rights in an app
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_policy.version as policy, space_member.id as "memberId", space_member.role as "projectRole",
  space_member.signed_in_after, space_member.last_seen_at as "lastSeenAt", ( SELECT role.rights FROM role
  WHERE role.target = 'project' AND role.uid = space_member.role AND (role.space_id IS NULL OR role.space_id =
  space_member.space_id))::text as "projectRights", space_security.ip_ranges, space_security.session_hours,
  space_security.second_factor, space_security.sso_required, space_security.sso_exempt,
  space_security.ip_ranges_pending_until, space_security.ip_ranges_before, set_config('imori.space_id',
  space.id::text, true) || set_config('role', 'imori_member', true) as entered, app_member.role as "appRole",
  (SELECT role.rights FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS
  NULL OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)))::text as "appRights",
  (SELECT role.models FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS
  NULL OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)) AND role.app_id IS NOT
  NULL) as "appModels", app.id as "appId", app.uid as "appUid", app.name as "appName", app.description,
  app.icon, app.cover, app.visibility, app.default_role, app.created_at as "appCreatedAt", app.updated_at as
  "appUpdatedAt"
from space
inner join space_member on space_member.space_id = space.id
inner join space_policy on space_policy.space_id = space.id
left join space_security on space_security.space_id = space.id
left join app on app.space_id = space.id and app.uid = ? and app.deleted_at is null
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = space_member.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;

-- Listed by name elsewhere: enters space, with rights in any app
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_policy.version as policy, space_member.id as "memberId", space_member.role as "projectRole",
  space_member.signed_in_after, space_member.last_seen_at as "lastSeenAt", ( SELECT role.rights FROM role
  WHERE role.target = 'project' AND role.uid = space_member.role AND (role.space_id IS NULL OR role.space_id =
  space_member.space_id))::text as "projectRights", space_security.ip_ranges, space_security.session_hours,
  space_security.second_factor, space_security.sso_required, space_security.sso_exempt,
  space_security.ip_ranges_pending_until, space_security.ip_ranges_before, set_config('imori.space_id',
  space.id::text, true) || set_config('role', 'imori_member', true) as entered, ( SELECT array_agg(DISTINCT
  held)::text FROM app_member JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id
  AND app.deleted_at IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role AND
  (role.space_id IS NULL OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)),
  unnest(role.rights) AS held WHERE app_member.space_id = space_member.space_id AND app_member.member_id =
  space_member.id AND held = ANY(?::text[])) as "anyAppRights"
from space
inner join space_member on space_member.space_id = space.id
inner join space_policy on space_policy.space_id = space.id
left join space_security on space_security.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;

-- Listed by name elsewhere: rights of member
select space_member.id as "memberId", space_member.role as "projectRole", app_member.role as "appRole", (
  SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role AND
  (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights", (SELECT
  role.rights FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)))::text as "appRights", ( SELECT
  array_agg(DISTINCT held)::text FROM app_member JOIN app ON app.space_id = app_member.space_id AND app.id =
  app_member.app_id AND app.deleted_at IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role
  AND (role.space_id IS NULL OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)),
  unnest(role.rights) AS held WHERE app_member.space_id = space_member.space_id AND app_member.member_id =
  space_member.id AND held = ANY(?::text[])) as "anyAppRights", (SELECT role.models FROM role WHERE
  role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR (role.space_id =
  app_member.space_id AND role.app_id = app_member.app_id)) AND role.app_id IS NOT NULL) as "appModels"
from space_member
left join app_member on app_member.space_id = space_member.space_id and app_member.member_id = space_member.id
  and app_member.app_id = ?
where space_member.space_id = ? and space_member.id = ?;

-- Listed by name elsewhere: locks space
select id
from space
where id = ? and deleted_at is null
for no key update;

-- Listed by name elsewhere: locks app
select id
from app
where space_id = ? and id = ? and deleted_at is null
for no key update;

-- Listed by name elsewhere: attempt
insert into attempt (key, window_start, count)
values (?, now(), ?)
on conflict (key)
do update set window_start = CASE WHEN (attempt.window_start <= now() - make_interval(mins => ?) OR
  attempt.window_start > now() + interval '1 minute') THEN now() ELSE attempt.window_start END, count = CASE
  WHEN (attempt.window_start <= now() - make_interval(mins => ?) OR attempt.window_start > now() + interval '1
  minute') THEN 1 ELSE attempt.count + 1 END
where ((attempt.window_start <= now() - make_interval(mins => ?) OR attempt.window_start > now() + interval '1
  minute') or attempt.count < ?)
returning key;

-- Listed by name elsewhere: account
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, email_key
from account
where id = ?;

-- Listed by name elsewhere: member
select space_member.id, space_member.account_id as "accountId", account.name, account.email, account.icon_id
  as "iconId", space_member.last_seen_at as "lastSeenAt", account.provisioned_by IS NOT NULL as provisioned,
  (account.email_verified_at IS NOT NULL OR account.provisioned_by IS NOT DISTINCT FROM space_member.space_id
  OR EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id = space_member.account_id AND
  sso_identity.space_id = space_member.space_id)) as "emailVerified", array_remove(ARRAY[ CASE WHEN EXISTS
  (SELECT FROM sso_identity WHERE sso_identity.account_id = space_member.account_id AND sso_identity.space_id
  = space_member.space_id) THEN 'sso' END, CASE WHEN EXISTS (SELECT FROM scim_user WHERE scim_user.space_id =
  space_member.space_id AND scim_user.member_id = space_member.id) THEN 'scim' END], NULL) as identities,
  space_member.role, space_member.created_at as "createdAt"
from space_member
inner join account on account.id = space_member.account_id
where space_member.space_id = ? and space_member.id = ?;

-- Listed by name elsewhere: member of app
select space_member.id, space_member.account_id as "accountId", account.name, account.email, account.icon_id
  as "iconId", space_member.last_seen_at as "lastSeenAt", account.provisioned_by IS NOT NULL as provisioned,
  (account.email_verified_at IS NOT NULL OR account.provisioned_by IS NOT DISTINCT FROM space_member.space_id
  OR EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id = space_member.account_id AND
  sso_identity.space_id = space_member.space_id)) as "emailVerified", array_remove(ARRAY[ CASE WHEN EXISTS
  (SELECT FROM sso_identity WHERE sso_identity.account_id = space_member.account_id AND sso_identity.space_id
  = space_member.space_id) THEN 'sso' END, CASE WHEN EXISTS (SELECT FROM scim_user WHERE scim_user.space_id =
  space_member.space_id AND scim_user.member_id = space_member.id) THEN 'scim' END], NULL) as identities,
  app_member.role, app_member.created_at as "createdAt"
from space_member
inner join account on account.id = space_member.account_id
inner join app_member on app_member.space_id = space_member.space_id and app_member.member_id =
  space_member.id
where space_member.space_id = ? and app_member.app_id = ? and space_member.id = ?;

-- Listed by name elsewhere: joins app
insert into app_member (space_id, app_id, member_id, role)
values (?, ?, ?, ?)
on conflict do nothing
returning member_id;

-- Listed by name elsewhere: role
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int)) and uid
  = ?;

-- Listed by name elsewhere: models of app
select model.*
from model
where model.space_id = ? and model.app_id = ? and model.deleted_at is null
order by model.position, model.id;

-- Listed by name elsewhere: custom types of app
select *
from custom_type
where space_id = ? and app_id = ?
order by name, id;

-- Listed by name elsewhere: counts documents
update model_stat
set documents = documents + ?, published = published + ?, version = version + 1
where space_id = ? and model_id = ?
returning pg_notify(?, ?)::text as told;

-- Listed by name elsewhere: audit
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- Listed by name elsewhere: audit in each space of an account
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT space_id FROM space_member WHERE account_id = ? ORDER BY created_at LIMIT ?) AS spaces;

-- Listed by name elsewhere: event
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;

-- Listed by name elsewhere: job
insert into job (id, space_id, name, payload, key, queue, priority, is_long, is_network, max_attempts,
  requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;

-- Before every endpoint of an app. The last one only if the call is refused, the first one also for endpoints of an account
-- session
begin;
-- enters space, with rights in an app
-- audit: app.delete

-- Before every endpoint of a space
-- session
begin;
-- enters space, with rights in any app
-- audit: space.delete

-- Before endpoints of apps and spaces if the rights of the caller are cached
-- session
begin;
-- enters space
-- audit: app.delete
