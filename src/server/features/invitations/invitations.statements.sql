-- listInvitations: GET /api/project/{p}/invitation
select invitation.id, invitation.email, invitation.role, invitation.app_id as "appId", app.uid as "appUid",
  app.name as "appName", invitation.app_role as "appRole", invitation.use_sso as "useSSO",
  invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId", CASE WHEN
  invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses)
order by invitation.created_at desc, invitation.id
limit ?;

-- createInvitation: POST /api/project/{p}/invitation
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
select space_member.id, space_member.account_id as "accountId", account.name, account.email, account.icon_id
  as "iconId", space_member.last_seen_at as "lastSeenAt", account.provisioned_by IS NOT NULL as provisioned,
  array_remove(ARRAY[ CASE WHEN EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id =
  space_member.account_id AND sso_identity.space_id = space_member.space_id) THEN 'sso' END, CASE WHEN EXISTS
  (SELECT FROM scim_user WHERE scim_user.space_id = space_member.space_id AND scim_user.member_id =
  space_member.id) THEN 'scim' END], NULL) as identities, space_member.role, space_member.created_at as
  "createdAt"
from space_member
inner join account on account.id = space_member.account_id
where space_member.space_id = ? and lower(account.email) = ?;
update invitation
set revoked_at = now()
where space_id = ? and email_key = ? and app_id IS NOT DISTINCT
FROM ?::int and revoked_at is null;
select count(*) as total
from invitation
where space_id = ? and (invitation.revoked_at IS NULL AND invitation.expires_at > now() AND
  (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses));
insert into invitation (space_id, id, code_hash, email, email_key, role, app_id, app_role, use_sso,
  maximum_uses, member_id, provisioned, expires_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, now() + make_interval(days => ?));
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
select invitation.id, invitation.email, invitation.role, invitation.app_id as "appId", app.uid as "appUid",
  app.name as "appName", invitation.app_role as "appRole", invitation.use_sso as "useSSO",
  invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId", CASE WHEN
  invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.id = ?;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- renewInvitation: POST /api/project/{p}/invitation/{id}/resend
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
select invitation.id, invitation.email, invitation.role, invitation.app_id as "appId", app.uid as "appUid",
  app.name as "appName", invitation.app_role as "appRole", invitation.use_sso as "useSSO",
  invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId", CASE WHEN
  invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.id = ?;
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
update invitation
set code_hash = ?, member_id = ?, sent_at = now(), expires_at = now() + make_interval(days => ?)
where space_id = ? and id = ?;
delete from invitation_taking
where space_id = ? and invitation_id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
select invitation.id, invitation.email, invitation.role, invitation.app_id as "appId", app.uid as "appUid",
  app.name as "appName", invitation.app_role as "appRole", invitation.use_sso as "useSSO",
  invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId", CASE WHEN
  invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.id = ?;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- revokeInvitation: DELETE /api/project/{p}/invitation/{id}
select invitation.id, invitation.email, invitation.role, invitation.app_id as "appId", app.uid as "appUid",
  app.name as "appName", invitation.app_role as "appRole", invitation.use_sso as "useSSO",
  invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId", CASE WHEN
  invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.id = ?;
update invitation
set revoked_at = now()
where space_id = ? and id = ? and revoked_at is null and app_id = ?
returning id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- listAppInvitations: GET /api/project/{p}/app/{a}/invitation
select invitation.id, invitation.email, invitation.role, invitation.app_id as "appId", app.uid as "appUid",
  app.name as "appName", invitation.app_role as "appRole", invitation.use_sso as "useSSO",
  invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId", CASE WHEN
  invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.app_id = ?
order by invitation.created_at desc, invitation.id
limit ?;

-- addAppMember: POST /api/project/{p}/app/{a}/members
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
select space_member.id, space_member.account_id as "accountId", account.name, account.email, account.icon_id
  as "iconId", space_member.last_seen_at as "lastSeenAt", account.provisioned_by IS NOT NULL as provisioned,
  array_remove(ARRAY[ CASE WHEN EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id =
  space_member.account_id AND sso_identity.space_id = space_member.space_id) THEN 'sso' END, CASE WHEN EXISTS
  (SELECT FROM scim_user WHERE scim_user.space_id = space_member.space_id AND scim_user.member_id =
  space_member.id) THEN 'scim' END], NULL) as identities, space_member.role, space_member.created_at as
  "createdAt"
from space_member
inner join account on account.id = space_member.account_id
where space_member.space_id = ? and lower(account.email) = ?;
insert into app_member (space_id, app_id, member_id, role)
values (?, ?, ?, ?)
on conflict do nothing
returning member_id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
select space_member.id, space_member.account_id as "accountId", account.name, account.email, account.icon_id
  as "iconId", space_member.last_seen_at as "lastSeenAt", account.provisioned_by IS NOT NULL as provisioned,
  array_remove(ARRAY[ CASE WHEN EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id =
  space_member.account_id AND sso_identity.space_id = space_member.space_id) THEN 'sso' END, CASE WHEN EXISTS
  (SELECT FROM scim_user WHERE scim_user.space_id = space_member.space_id AND scim_user.member_id =
  space_member.id) THEN 'scim' END], NULL) as identities, app_member.role, app_member.created_at as
  "createdAt"
from space_member
inner join account on account.id = space_member.account_id
inner join app_member on app_member.space_id = space_member.space_id and app_member.member_id =
  space_member.id
where space_member.space_id = ? and app_member.app_id = ? and space_member.id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- renewAppInvitation: POST /api/project/{p}/app/{a}/invitation/{id}/resend
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
select invitation.id, invitation.email, invitation.role, invitation.app_id as "appId", app.uid as "appUid",
  app.name as "appName", invitation.app_role as "appRole", invitation.use_sso as "useSSO",
  invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId", CASE WHEN
  invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.id = ? and invitation.app_id = ?;
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
update invitation
set code_hash = ?, member_id = ?, sent_at = now(), expires_at = now() + make_interval(days => ?)
where space_id = ? and id = ?;
delete from invitation_taking
where space_id = ? and invitation_id = ?;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
select invitation.id, invitation.email, invitation.role, invitation.app_id as "appId", app.uid as "appUid",
  app.name as "appName", invitation.app_role as "appRole", invitation.use_sso as "useSSO",
  invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId", CASE WHEN
  invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.id = ? and invitation.app_id = ?;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- revokeAppInvitation: DELETE /api/project/{p}/app/{a}/invitation/{id}
select invitation.id, invitation.email, invitation.role, invitation.app_id as "appId", app.uid as "appUid",
  app.name as "appName", invitation.app_role as "appRole", invitation.use_sso as "useSSO",
  invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId", CASE WHEN
  invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.id = ? and invitation.app_id = ?;
update invitation
set revoked_at = now()
where space_id = ? and id = ? and revoked_at is null and app_id = ?
returning id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- lookAtInvitation: POST /api/invitation/look
SELECT invitation.id, space.id AS "spaceId", space.uid AS "spaceUid", space.name AS "spaceName",
  invitation.member_id AS "memberId", invitation.provisioned, CASE WHEN invitation.provisioned =
  invitation.member_id THEN space.name ELSE coalesce(nullif(account.name, ''), account.email) END AS inviter,
  invitation.email, invitation.role, coalesce(role.name, '') AS "roleName", CASE WHEN app.id IS NULL THEN NULL
  ELSE jsonb_build_object('id', app.id, 'uid', app.uid, 'name', app.name) END AS app, invitation.app_id IS NOT
  NULL AND app.id IS NULL AS "appIsGone", invitation.app_role AS "appRole", coalesce(app_role.name, '') AS
  "appRoleName", invitation.expires_at AS "expiresAt", (invitation.revoked_at IS NULL AND
  invitation.expires_at > now() AND (invitation.maximum_uses IS NULL OR invitation.uses <
  invitation.maximum_uses)) AS "isOpen", invitation.use_sso AS "bySso", EXISTS (SELECT FROM sso_connection
  JOIN sso_domain ON sso_domain.space_id = sso_connection.space_id AND sso_domain.proof IS NOT NULL WHERE
  sso_connection.space_id = invitation.space_id AND is_complete) AS "ssoIsSetUp"
FROM invitation
JOIN space ON space.id = invitation.space_id AND space.deleted_at IS NULL
JOIN space_member ON space_member.space_id = invitation.space_id AND space_member.id = invitation.member_id
JOIN account ON account.id = space_member.account_id
LEFT JOIN app ON app.space_id = invitation.space_id AND app.id = invitation.app_id AND app.deleted_at IS NULL
LEFT JOIN role AS app_role ON app_role.target = 'app' AND app_role.uid = invitation.app_role AND
  app_role.space_id = invitation.space_id AND app_role.app_id = invitation.app_id
LEFT JOIN role ON role.target = 'project' AND role.uid = invitation.role AND role.space_id =
  invitation.space_id
WHERE invitation.code_hash = ?;

-- acceptInvitation: POST /api/invitation/accept
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, email_key
from account
where id = ?;
select invitation.email_key as "emailKey"
from invitation
inner join space on space.id = invitation.space_id
where code_hash = ? and space.deleted_at is null and (invitation.revoked_at IS NULL AND invitation.expires_at
  > now() AND (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses));
SELECT invitation.id, space.id AS "spaceId", space.uid AS "spaceUid", space.name AS "spaceName",
  invitation.member_id AS "memberId", invitation.provisioned, CASE WHEN invitation.provisioned =
  invitation.member_id THEN space.name ELSE coalesce(nullif(account.name, ''), account.email) END AS inviter,
  invitation.email, invitation.role, coalesce(role.name, '') AS "roleName", CASE WHEN app.id IS NULL THEN NULL
  ELSE jsonb_build_object('id', app.id, 'uid', app.uid, 'name', app.name) END AS app, invitation.app_id IS NOT
  NULL AND app.id IS NULL AS "appIsGone", invitation.app_role AS "appRole", coalesce(app_role.name, '') AS
  "appRoleName", invitation.expires_at AS "expiresAt", (invitation.revoked_at IS NULL AND
  invitation.expires_at > now() AND (invitation.maximum_uses IS NULL OR invitation.uses <
  invitation.maximum_uses)) AS "isOpen", invitation.use_sso AS "bySso", EXISTS (SELECT FROM sso_connection
  JOIN sso_domain ON sso_domain.space_id = sso_connection.space_id AND sso_domain.proof IS NOT NULL WHERE
  sso_connection.space_id = invitation.space_id AND is_complete) AS "ssoIsSetUp"
FROM invitation
JOIN space ON space.id = invitation.space_id AND space.deleted_at IS NULL
JOIN space_member ON space_member.space_id = invitation.space_id AND space_member.id = invitation.member_id
JOIN account ON account.id = space_member.account_id
LEFT JOIN app ON app.space_id = invitation.space_id AND app.id = invitation.app_id AND app.deleted_at IS NULL
LEFT JOIN role AS app_role ON app_role.target = 'app' AND app_role.uid = invitation.app_role AND
  app_role.space_id = invitation.space_id AND app_role.app_id = invitation.app_id
LEFT JOIN role ON role.target = 'project' AND role.uid = invitation.role AND role.space_id =
  invitation.space_id
WHERE invitation.code_hash = ?;
SELECT set_config('imori.space_id', ?::int::text, true) || set_config('role', 'imori_member', true);
select account.id, account.name, account.email, account.language
from space_member
inner join account on account.id = space_member.account_id
where space_member.space_id = ? and space_member.id = ?;
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
select id
from space_member
where space_id = ? and account_id = ?;
SELECT space_member.id
FROM account AS owner
JOIN account ON lower(account.email) = lower(owner.email) AND account.provisioned_by = ?
JOIN space_member ON space_member.space_id = ? AND space_member.account_id = account.id
WHERE owner.id = ? AND owner.provisioned_by IS NULL AND owner.email_verified_at IS NOT NULL;
insert into space_member (space_id, id, account_id, role, signed_in_after)
values (?, ?, ?, ?, ?);
DELETE FROM removed_member
USING account
WHERE space_id = ? AND account.id = ? AND who = ANY(ARRAY[account.id::text,
  encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex')]);
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
WITH taker AS (SELECT unnest(ARRAY[account.id::text, encode(sha256(convert_to(lower(account.email), 'UTF8')),
  'hex')]) AS who FROM account WHERE account.id = ?)
INSERT INTO invitation_taking (space_id, invitation_id, who)
SELECT ?, ?, who
FROM taker
WHERE NOT EXISTS (SELECT FROM invitation_taking JOIN taker USING (who) WHERE space_id = ? AND invitation_id =
  ?)
RETURNING who;
update invitation
set uses = uses + 1
where space_id = ? and id = ? and (invitation.revoked_at IS NULL AND invitation.expires_at > now() AND
  (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses))
returning id;
insert into event (space_id, type, app_id, model_id, document_id, actor_kind, actor_id, actor_name, payload)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning pg_notify(?, '')::text as woken;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
commit;
