-- getSso: GET /api/project/{p}/sso
select space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version
from sso_connection
where space_id = ?;
select domain, challenge, proof, checked_at as "checkedAt"
from sso_domain
where space_id = ?
order by domain;

-- readSsoMetadata: POST /api/project/{p}/sso/metadata

-- updateSso: PUT /api/project/{p}/sso
select id
from space
where id = ? and deleted_at is null
for no key update;
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
select space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version
from sso_connection
where space_id = ?;
select domain, challenge, proof, checked_at as "checkedAt"
from sso_domain
where space_id = ?
order by domain;
insert into sso_connection (space_id, id, kind, settings, secret, groups_name, provisions, is_complete)
values (?, ?, ?, ?, ?, ?, ?, ?)
on conflict (space_id)
do update set kind = ?, settings = ?, secret = ?, groups_name = ?, provisions = ?, is_complete = ?, version =
  sso_connection.version + 1, updated_at = now()
returning space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version;
WITH gone AS (DELETE FROM sso_domain WHERE space_id = ? AND domain <> ALL(?::text[]) RETURNING *)
INSERT INTO former_sso_domain (space_id, domain, challenge, proof)
SELECT space_id, domain, challenge, proof
FROM gone
WHERE proof IS NOT NULL;
WITH back AS (DELETE FROM former_sso_domain WHERE space_id = ? AND domain = ANY(?::text[]) RETURNING *)
INSERT INTO sso_domain (space_id, domain, challenge, proof)
SELECT ?, named.domain, coalesce(back.challenge, named.challenge), back.proof
FROM unnest(?::text[], ?::text[]) AS named (domain, challenge)
LEFT JOIN back ON back.domain = named.domain
ON CONFLICT DO NOTHING;
select domain, challenge, proof, checked_at as "checkedAt"
from sso_domain
where space_id = ?
order by domain;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteSso: DELETE /api/project/{p}/sso
select id
from space
where id = ? and deleted_at is null
for no key update;
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
select space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version
from sso_connection
where space_id = ?;
select distinct space_member.role
from sso_identity
inner join space_member on space_member.space_id = sso_identity.space_id and space_member.account_id =
  sso_identity.account_id
where sso_identity.space_id = ?;
select distinct app.uid as app, app_member.role
from sso_identity
inner join space_member on space_member.space_id = sso_identity.space_id and space_member.account_id =
  sso_identity.account_id
inner join app_member on app_member.space_id = space_member.space_id and app_member.member_id =
  space_member.id
inner join app on app.space_id = app_member.space_id and app.id = app_member.app_id and app.deleted_at is null
where sso_identity.space_id = ?;
select name, role
from group_role
where space_id = ?
order by position;
select default_role, version
from group_role_setting
where space_id = ?;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int)) and uid
  = ?;
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
select app.id as "appId", app.uid as app, group_app_role.name, group_app_role.role
from group_app_role
inner join app on app.space_id = group_app_role.space_id and app.id = group_app_role.app_id and app.deleted_at
  is null
where group_app_role.space_id = ?
order by app.position, app.id, group_app_role.position;
select ip_ranges, trial_ends_at, ip_ranges_before, session_hours, second_factor, sso_required, sso_exempt
from space_security
where space_id = ?;
select domain, challenge, proof, checked_at as "checkedAt"
from sso_domain
where space_id = ?
order by domain;
delete from sso_connection
where space_id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- testSso: POST /api/project/{p}/sso/test
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version
from sso_connection
where space_id = ?;

-- trySso: POST /api/project/{p}/sso/try
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select sso_connection.space_id, sso_connection.id, kind, settings, secret, ARRAY(SELECT domain FROM sso_domain
  WHERE sso_domain.space_id = sso_connection.space_id AND proof IS NOT NULL) as domains, groups_name,
  provisions, is_complete, sso_connection.version, space.uid as "spaceUid", space.name as "spaceName"
from sso_connection
inner join space on space.id = sso_connection.space_id
where space.deleted_at is null and is_complete = ? and lower(space.uid) = ?;
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
insert into sso_sign_in (id, connection_id, state_hash, browser_hash, kept, popup, target, expires_at)
values (?, ?, ?, ?, ?, ?, ?, now() + make_interval(mins => ?));

-- listSsoRefusals: GET /api/project/{p}/sso/refusal
select space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version
from sso_connection
where space_id = ?;
SELECT *
FROM (SELECT * FROM audit_entry WHERE space_id = ? AND object_id = ? ORDER BY id DESC LIMIT ?) AS found
WHERE outcome <> 'done'
ORDER BY id DESC
LIMIT ?;
SELECT id
FROM audit_entry
WHERE space_id = ? AND object_id = ?
ORDER BY id DESC
OFFSET ?
LIMIT 1;

-- checkSsoDomain: POST /api/project/{p}/sso/domain:check
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version
from sso_connection
where space_id = ?;
select domain, challenge, proof, checked_at as "checkedAt"
from sso_domain
where space_id = ? and domain = ?;
commit;
begin;
select space.id, space_policy.version as policy, set_config('imori.space_id', space.id::text, true) ||
  set_config('role', 'imori_member', true) as entered
from space
inner join space_policy on space_policy.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null;
select id
from space
where id = ? and deleted_at is null
for no key update;
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
select space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version
from sso_connection
where space_id = ?;
select domain, challenge, proof, checked_at as "checkedAt"
from sso_domain
where space_id = ?
order by domain;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- confirmSsoDomain: POST /api/project/{p}/sso/domain:confirm
rollback;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- listSsoCertificates: GET /api/project/{p}/sso/certificate
select space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version
from sso_connection
where space_id = ?;

-- addSsoCertificate: POST /api/project/{p}/sso/certificate
select id
from space
where id = ? and deleted_at is null
for no key update;
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
select space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version
from sso_connection
where space_id = ?;
insert into sso_connection (space_id, id, kind, settings, secret, groups_name, provisions, is_complete)
values (?, ?, ?, ?, ?, ?, ?, ?)
on conflict (space_id)
do update set kind = ?, settings = ?, secret = ?, groups_name = ?, provisions = ?, is_complete = ?, version =
  sso_connection.version + 1, updated_at = now()
returning space_id, id, kind, settings, secret, groups_name, provisions, is_complete, version;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getMemberIdentities: GET /api/project/{p}/member/{id}/identity
select space_member.id, space_member.account_id as "accountId", account.name, account.email, account.icon_id
  as "iconId", space_member.last_seen_at as "lastSeenAt", account.provisioned_by IS NOT NULL as provisioned,
  array_remove(ARRAY[ CASE WHEN EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id =
  space_member.account_id AND sso_identity.space_id = space_member.space_id) THEN 'sso' END, CASE WHEN EXISTS
  (SELECT FROM scim_user WHERE scim_user.space_id = space_member.space_id AND scim_user.member_id =
  space_member.id) THEN 'scim' END], NULL) as identities, space_member.role, space_member.created_at as
  "createdAt"
from space_member
inner join account on account.id = space_member.account_id
where space_member.space_id = ? and space_member.id = ?;
select issuer, subject, sso_identity.created_at as "createdAt", last_used_at as "lastUsedAt"
from sso_identity
where space_id = ? and account_id = ?;
select user_name as "userName", external_id as "externalId"
from scim_user
where space_id = ? and member_id = ?;

-- unlinkMember: DELETE /api/project/{p}/member/{id}/identity
select id
from space
where id = ? and deleted_at is null
for no key update;
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
select space_member.id, space_member.account_id as "accountId", account.name, account.email, account.icon_id
  as "iconId", space_member.last_seen_at as "lastSeenAt", account.provisioned_by IS NOT NULL as provisioned,
  array_remove(ARRAY[ CASE WHEN EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id =
  space_member.account_id AND sso_identity.space_id = space_member.space_id) THEN 'sso' END, CASE WHEN EXISTS
  (SELECT FROM scim_user WHERE scim_user.space_id = space_member.space_id AND scim_user.member_id =
  space_member.id) THEN 'scim' END], NULL) as identities, space_member.role, space_member.created_at as
  "createdAt"
from space_member
inner join account on account.id = space_member.account_id
where space_member.space_id = ? and space_member.id = ?;
select space_id, uid, name, description, target, rights, models, version
from role
where target = ? and (space_id is null or (space_id = ? and role.app_id IS NOT DISTINCT FROM ?::int)) and uid
  = ?;
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
SELECT unlink_sso_identity(?, ?) AS issuer;
rollback;

-- listOwnIdentities: GET /api/account/{id}/identity
select issuer, subject, sso_identity.created_at as "createdAt", last_used_at as "lastUsedAt", connection_id as
  id, space.id as "spaceId", space.uid as "spaceUid", space.name as "spaceName"
from sso_identity
inner join space on space.id = sso_identity.space_id
where account_id = ? and space.deleted_at is null
order by sso_identity.created_at;

-- unlinkOwnIdentity: DELETE /api/account/{id}/identity/{identity}
select issuer, subject, sso_identity.created_at as "createdAt", last_used_at as "lastUsedAt", connection_id as
  id, space.id as "spaceId", space.uid as "spaceUid", space.name as "spaceName"
from sso_identity
inner join space on space.id = sso_identity.space_id
where account_id = ? and space.deleted_at is null
order by sso_identity.created_at;
rollback;

-- beginSso: POST /api/auth/sso
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
commit;
select sso_connection.space_id, sso_connection.id, kind, settings, secret, ARRAY(SELECT domain FROM sso_domain
  WHERE sso_domain.space_id = sso_connection.space_id AND proof IS NOT NULL) as domains, groups_name,
  provisions, is_complete, sso_connection.version, space.uid as "spaceUid", space.name as "spaceName"
from sso_connection
inner join space on space.id = sso_connection.space_id
where space.deleted_at is null and is_complete = ? and lower(space.uid) = ?;
insert into sso_sign_in (id, connection_id, state_hash, browser_hash, kept, popup, target, expires_at)
values (?, ?, ?, ?, ?, ?, ?, now() + make_interval(mins => ?));

-- finishSso: POST /api/auth/sso/finish
select id, connection_id as "connectionId", kept, popup, target
from sso_sign_in
where code_hash = ? and browser_hash is null and expires_at > now()
for update;
rollback;

-- linkSso: POST /api/auth/sso/link
select id, connection_id as "connectionId", kept, popup, target
from sso_sign_in
where code_hash = ? and browser_hash is null and expires_at > now()
for update;
rollback;
