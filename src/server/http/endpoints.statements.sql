-- Before every endpoint of an app; the last where it is refused, the first for one of an account
select session.id_hash, session.csrf_token, session.last_seen_at, session.created_at, account.id,
  account.email, account.name, account.is_admin, account.language, account.color_scheme, account.icon_id,
  account.email_verified_at, session.own_means, session.sso_space_id, session.sso_connection_id,
  session.sso_at
from session
inner join account on account.id = session.account_id
where session.id_hash = ? and session.last_seen_at > now() - make_interval(hours => ?) and session.created_at
  > now() - make_interval(days => ?);
begin;
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_policy.version as policy, space_member.id as "memberId", space_member.role as "projectRole",
  space_member.signed_in_after, space_member.last_seen_at as "lastSeenAt", ( SELECT role.rights FROM role
  WHERE role.target = 'project' AND role.uid = space_member.role AND (role.space_id IS NULL OR role.space_id =
  space_member.space_id))::text as "projectRights", space_security.ip_ranges, space_security.session_hours,
  space_security.second_factor, space_security.sso_required, space_security.sso_exempt,
  space_security.trial_ends_at, space_security.ip_ranges_before, set_config('imori.space_id', space.id::text,
  true) || set_config('role', 'imori_member', true) as entered, app_member.role as "appRole", (SELECT
  role.rights FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)))::text as "appRights", (SELECT
  role.models FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)) AND role.app_id IS NOT NULL) as
  "appModels", app.id as "appId", app.uid as "appUid", app.name as "appName", app.description, app.icon,
  app.cover, app.visibility, app.default_role, app.created_at as "appCreatedAt", app.updated_at as
  "appUpdatedAt"
from space
inner join space_member on space_member.space_id = space.id
inner join space_policy on space_policy.space_id = space.id
left join space_security on space_security.space_id = space.id
left join app on app.space_id = space.id and app.uid = ? and app.deleted_at is null
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = space_member.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- Before every endpoint of a space
select session.id_hash, session.csrf_token, session.last_seen_at, session.created_at, account.id,
  account.email, account.name, account.is_admin, account.language, account.color_scheme, account.icon_id,
  account.email_verified_at, session.own_means, session.sso_space_id, session.sso_connection_id,
  session.sso_at
from session
inner join account on account.id = session.account_id
where session.id_hash = ? and session.last_seen_at > now() - make_interval(hours => ?) and session.created_at
  > now() - make_interval(days => ?);
begin;
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_policy.version as policy, space_member.id as "memberId", space_member.role as "projectRole",
  space_member.signed_in_after, space_member.last_seen_at as "lastSeenAt", ( SELECT role.rights FROM role
  WHERE role.target = 'project' AND role.uid = space_member.role AND (role.space_id IS NULL OR role.space_id =
  space_member.space_id))::text as "projectRights", space_security.ip_ranges, space_security.session_hours,
  space_security.second_factor, space_security.sso_required, space_security.sso_exempt,
  space_security.trial_ends_at, space_security.ip_ranges_before, set_config('imori.space_id', space.id::text,
  true) || set_config('role', 'imori_member', true) as entered, ( SELECT array_agg(DISTINCT held)::text FROM
  app_member JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at
  IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)), unnest(role.rights) AS held
  WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id AND held =
  ANY(?::text[])) as "anyAppRights"
from space
inner join space_member on space_member.space_id = space.id
inner join space_policy on space_policy.space_id = space.id
left join space_security on space_security.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- Before either, where what the caller may do is remembered
select session.id_hash, session.csrf_token, session.last_seen_at, session.created_at, account.id,
  account.email, account.name, account.is_admin, account.language, account.color_scheme, account.icon_id,
  account.email_verified_at, session.own_means, session.sso_space_id, session.sso_connection_id,
  session.sso_at
from session
inner join account on account.id = session.account_id
where session.id_hash = ? and session.last_seen_at > now() - make_interval(hours => ?) and session.created_at
  > now() - make_interval(days => ?);
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
