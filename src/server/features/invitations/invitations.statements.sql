-- Several times: select sso_connection by is_complete
select sso_domain.domain
from sso_connection
inner join sso_domain on sso_domain.space_id = sso_connection.space_id
where sso_connection.space_id = ? and is_complete = ? and proof is not null
order by domain;

-- Several times: select space_member
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
where space_member.space_id = ? and lower(account.email) = ?;

-- Several times: select invitation by id
select invitation.id, invitation.email, coalesce(claimed.role, invitation.role) as role, coalesce(role.name,
  '') as "roleName", invitation.app_id as "appId", app.uid as "appUid", app.name as "appName",
  invitation.app_role as "appRole", coalesce(app_role.name, '') as "appRoleName", invitation.use_sso as
  "useSSO", invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId",
  CASE WHEN invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
left join space_member as claimed on claimed.space_id = invitation.space_id and claimed.id =
  invitation.provisioned
left join role on role.target = ? and role.uid = coalesce(claimed.role, invitation.role) and role.space_id =
  invitation.space_id
left join role as app_role on app_role.target = ? and app_role.uid = invitation.app_role and app_role.space_id
  = invitation.space_id and app_role.app_id = invitation.app_id
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.id = ?;

-- Several times: select invitation by id, app_id
select invitation.id, invitation.email, coalesce(claimed.role, invitation.role) as role, coalesce(role.name,
  '') as "roleName", invitation.app_id as "appId", app.uid as "appUid", app.name as "appName",
  invitation.app_role as "appRole", coalesce(app_role.name, '') as "appRoleName", invitation.use_sso as
  "useSSO", invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId",
  CASE WHEN invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
left join space_member as claimed on claimed.space_id = invitation.space_id and claimed.id =
  invitation.provisioned
left join role on role.target = ? and role.uid = coalesce(claimed.role, invitation.role) and role.space_id =
  invitation.space_id
left join role as app_role on app_role.target = ? and app_role.uid = invitation.app_role and app_role.space_id
  = invitation.space_id and app_role.app_id = invitation.app_id
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.id = ? and invitation.app_id = ?;

-- Several times: select invitation by code_hash
SELECT invitation.id, space.id AS "spaceId", space.uid AS "spaceUid", space.name AS "spaceName",
  invitation.member_id AS "memberId", invitation.provisioned, CASE WHEN invitation.provisioned IS DISTINCT
FROM invitation.member_id THEN nullif(account.name, '') END AS inviter, invitation.email,
  coalesce(claimed.role, invitation.role) AS role, coalesce(role.name, '') AS "roleName", CASE WHEN app.id IS
  NULL THEN NULL ELSE jsonb_build_object('id', app.id, 'uid', app.uid, 'name', app.name) END AS app,
  invitation.app_id IS NOT NULL AND app.id IS NULL AS "appIsGone", invitation.app_role AS "appRole",
  coalesce(app_role.name, '') AS "appRoleName", invitation.sent_at AS "sentAt", invitation.expires_at AS
  "expiresAt", (invitation.revoked_at IS NULL AND invitation.expires_at > now() AND (invitation.maximum_uses
  IS NULL OR invitation.uses < invitation.maximum_uses)) AS "isOpen", coalesce(invitation.uses >=
  invitation.maximum_uses, false) AS "isUsed", invitation.use_sso AS "bySso", EXISTS (SELECT FROM
  sso_connection JOIN sso_domain ON sso_domain.space_id = sso_connection.space_id AND sso_domain.proof IS NOT
  NULL WHERE sso_connection.space_id = invitation.space_id AND is_complete) AS "ssoIsSetUp"
FROM invitation
JOIN space ON space.id = invitation.space_id AND space.deleted_at IS NULL
JOIN space_member ON space_member.space_id = invitation.space_id AND space_member.id = invitation.member_id
JOIN account ON account.id = space_member.account_id
LEFT JOIN app ON app.space_id = invitation.space_id AND app.id = invitation.app_id AND app.deleted_at IS NULL
LEFT JOIN role AS app_role ON app_role.target = 'app' AND app_role.uid = invitation.app_role AND
  app_role.space_id = invitation.space_id AND app_role.app_id = invitation.app_id
LEFT JOIN space_member AS claimed ON claimed.space_id = invitation.space_id AND claimed.id =
  invitation.provisioned
LEFT JOIN role ON role.target = 'project' AND role.uid = coalesce(claimed.role, invitation.role) AND
  role.space_id = invitation.space_id
WHERE invitation.code_hash = ?;

-- listInvitations: GET /api/project/{p}/invitation
select invitation.id, invitation.email, coalesce(claimed.role, invitation.role) as role, coalesce(role.name,
  '') as "roleName", invitation.app_id as "appId", app.uid as "appUid", app.name as "appName",
  invitation.app_role as "appRole", coalesce(app_role.name, '') as "appRoleName", invitation.use_sso as
  "useSSO", invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId",
  CASE WHEN invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
left join space_member as claimed on claimed.space_id = invitation.space_id and claimed.id =
  invitation.provisioned
left join role on role.target = ? and role.uid = coalesce(claimed.role, invitation.role) and role.space_id =
  invitation.space_id
left join role as app_role on app_role.target = ? and app_role.uid = invitation.app_role and app_role.space_id
  = invitation.space_id and app_role.app_id = invitation.app_id
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses)
order by invitation.created_at desc, invitation.id
limit ?;
-- select sso_connection by is_complete
SELECT (count(*) FILTER (WHERE state IN ('waiting', 'running')))::int AS waiting, (count(*) FILTER (WHERE
  state IN ('failed', 'stopped')))::int AS "givenUp", (array_agg(error ORDER BY created_at DESC) FILTER (WHERE
  error IS NOT NULL))[1] AS error
FROM job
WHERE name = 'mail.send' AND created_at > now() - interval '7 days' AND (state IN ('failed', 'stopped') OR
  (state IN ('waiting', 'running') AND failures > 0)) AND space_id = ?;

-- createInvitation: POST /api/project/{p}/invitation
-- locks space
-- rights of member
-- role
-- rights of member
-- select space_member
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
-- event: invitation.created
-- select invitation by id
-- job: mail.send
-- audit: invitation.create

-- renewInvitation: POST /api/project/{p}/invitation/{id}/resend
-- locks space
-- rights of member
-- select invitation by id
-- role
-- rights of member
select *
from app
where space_id = ? and uid = ? and deleted_at is null;
-- rights of member
-- role
-- rights of member
update invitation
set code_hash = ?, member_id = ?, sent_at = now(), expires_at = now() + make_interval(days => ?)
where space_id = ? and id = ?;
delete from invitation_taking
where space_id = ? and invitation_id = ?;
-- event: invitation.renewed
-- select invitation by id
-- job: mail.send
-- audit: invitation.renew

-- revokeInvitation: DELETE /api/project/{p}/invitation/{id}
-- select invitation by id
update invitation
set revoked_at = now()
where space_id = ? and id = ? and revoked_at is null and app_id = ?
returning id;
-- event: invitation.revoked
-- audit: invitation.revoke

-- listAppInvitations: GET /api/project/{p}/app/{a}/invitation
select invitation.id, invitation.email, coalesce(claimed.role, invitation.role) as role, coalesce(role.name,
  '') as "roleName", invitation.app_id as "appId", app.uid as "appUid", app.name as "appName",
  invitation.app_role as "appRole", coalesce(app_role.name, '') as "appRoleName", invitation.use_sso as
  "useSSO", invitation.maximum_uses as "maximumUses", invitation.uses, invitation.member_id as "memberId",
  CASE WHEN invitation.provisioned = invitation.member_id THEN 'SCIM' ELSE coalesce(nullif(account.name, ''),
  account.email) END as "memberName", invitation.created_at as "createdAt", invitation.sent_at as "sentAt",
  invitation.expires_at as "expiresAt"
from invitation
inner join space_member as inviter on inviter.space_id = invitation.space_id and inviter.id =
  invitation.member_id
inner join account on account.id = inviter.account_id
left join app on app.space_id = invitation.space_id and app.id = invitation.app_id and app.deleted_at is null
left join space_member as claimed on claimed.space_id = invitation.space_id and claimed.id =
  invitation.provisioned
left join role on role.target = ? and role.uid = coalesce(claimed.role, invitation.role) and role.space_id =
  invitation.space_id
left join role as app_role on app_role.target = ? and app_role.uid = invitation.app_role and app_role.space_id
  = invitation.space_id and app_role.app_id = invitation.app_id
where invitation.space_id = ? and invitation.revoked_at is null and (invitation.app_id is null or app.id is
  not null) and (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses) and
  invitation.app_id = ?
order by invitation.created_at desc, invitation.id
limit ?;
-- select sso_connection by is_complete

-- addAppMember: POST /api/project/{p}/app/{a}/members
-- locks space
-- rights of member
-- role
-- rights of member
-- select space_member
-- member of app
select role
from left_app
where space_id = ? and app_id = ? and member_id = ?;
-- joins app
-- event: member.joinedApp
-- member of app
-- audit: member.addToApp

-- renewAppInvitation: POST /api/project/{p}/app/{a}/invitation/{id}/resend
-- locks space
-- rights of member
-- select invitation by id, app_id
-- role
-- rights of member
-- role
-- rights of member
update invitation
set code_hash = ?, member_id = ?, sent_at = now(), expires_at = now() + make_interval(days => ?)
where space_id = ? and id = ?;
delete from invitation_taking
where space_id = ? and invitation_id = ?;
-- event: invitation.renewed
-- select invitation by id, app_id
-- job: mail.send
-- audit: invitation.renew

-- revokeAppInvitation: DELETE /api/project/{p}/app/{a}/invitation/{id}
-- select invitation by id, app_id
update invitation
set revoked_at = now()
where space_id = ? and id = ? and revoked_at is null and app_id = ?
returning id;
-- event: invitation.revoked
-- audit: invitation.revoke

-- lookAtInvitation: POST /api/invitation/look
-- select invitation by code_hash

-- acceptInvitation: POST /api/invitation/accept
-- account
select invitation.email_key as "emailKey"
from invitation
inner join space on space.id = invitation.space_id
where code_hash = ? and space.deleted_at is null and (invitation.revoked_at IS NULL AND invitation.expires_at
  > now() AND (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses));
-- select invitation by code_hash
SELECT set_config('imori.space_id', ?::int::text, true) || set_config('role', 'imori_member', true);
select account.id, account.name, account.email, account.language
from space_member
inner join account on account.id = space_member.account_id
where space_member.space_id = ? and space_member.id = ?;
-- enters space, with rights in any app
-- locks space
-- rights of member
-- role
-- rights of member
select id
from space_member
where space_id = ? and account_id = ?;
SELECT
FROM removed_member
WHERE space_id = ? AND removed_at >= ? AND who IN (SELECT unnest(ARRAY(SELECT account.id::text UNION SELECT
  encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex') UNION SELECT who FROM account_known_as WHERE
  account_id = account.id)) FROM account WHERE id = ?)
LIMIT 1;
SELECT email
FROM account
WHERE id = ? AND provisioned_by IS NULL AND email_verified_at IS NOT NULL;
SELECT known.member_id AS "memberId", account.id AS "accountId", account.provisioned_by IS NOT NULL AS
  "isProvisioned", known.kept IS NOT NULL AS "isDeactivated"
FROM scim_user AS known
LEFT JOIN space_member AS member ON member.space_id = ? AND member.id = known.member_id
LEFT JOIN account ON account.id = member.account_id
WHERE known.space_id = ? AND (known.user_name_key = ? OR ? IN ( SELECT lower(normalize(btrim(value #>> '{}'),
  NFKC)) FROM jsonb_path_query(known.attributes, '$.emails[*].value') AS value)) UNION
SELECT member.id, account.id, true, false
FROM account
JOIN space_member AS member ON member.space_id = ? AND member.account_id = account.id
WHERE account.provisioned_by = ? AND lower(account.email) = ?;
insert into space_member (space_id, id, account_id, role, signed_in_after)
values (?, ?, ?, ?, ?);
DELETE FROM removed_member
USING account
WHERE space_id = ? AND account.id = ? AND who = ANY(ARRAY(SELECT account.id::text UNION SELECT
  encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex') UNION SELECT who FROM account_known_as WHERE
  account_id = account.id));
-- event: member.joined
WITH taker AS (SELECT unnest(ARRAY(SELECT account.id::text UNION SELECT
  encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex') UNION SELECT who FROM account_known_as WHERE
  account_id = account.id)) AS who FROM account WHERE account.id = ?)
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
-- event: invitation.accepted
-- audit: member.joinSpace
commit;
