-- Several times: select token by created_by
select name
from token
where space_id = ? and created_by = ? and (expires_at IS NULL OR expires_at > now())
order by kind, created_at desc
limit ?;

-- Several times: with admin
WITH admin AS (SELECT account_id FROM space_member WHERE space_member.space_id = ? AND NOT EXISTS (SELECT FROM
  account WHERE account.id = space_member.account_id AND provisioned_by IS NOT NULL) AND space_member.role IN
  (SELECT uid FROM role WHERE target = 'project' AND (space_id IS NULL OR space_id = ?) AND rights @>
  ?::text[]) AND id IS DISTINCT FROM ?)
SELECT EXISTS (SELECT FROM admin) AS "hasAdmin", NOT EXISTS (SELECT FROM space_security JOIN space_member AS
  exempt ON exempt.space_id = space_security.space_id AND exempt.account_id = sso_exempt WHERE
  space_security.space_id = ? AND sso_required AND (exempt.id = ? OR exempt.role = ?) AND sso_exempt NOT IN
  (SELECT account_id FROM admin)) AS "hasExempt";

-- Several times: with gone
WITH gone AS (DELETE FROM space_member WHERE space_id = ? AND id = ? RETURNING account_id)
INSERT INTO removed_member (space_id, who, removed_at)
SELECT ?, unnest(ARRAY(SELECT account.id::text UNION SELECT encode(sha256(convert_to(lower(account.email),
  'UTF8')), 'hex') UNION SELECT who FROM account_known_as WHERE account_id = account.id)), clock_timestamp()
FROM gone
JOIN account ON account.id = gone.account_id
ON CONFLICT DO NOTHING;

-- listMembers: GET /api/project/{p}/members
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
inner join (select id from space_member where space_id = ? order by created_at, id limit ? offset ?) as page
  on page.id = space_member.id
where space_member.space_id = ?
order by space_member.created_at, space_member.id;

-- getMemberRights: GET /api/project/{p}/member/{id}/rights
-- member
-- rights of member
-- role
select app.id, app.uid, app.name, app.visibility, app_member.role, role.name as "roleName"
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
left join role on role.space_id = app.space_id and role.app_id = app.id and role.uid = app_member.role
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;
select public_id as "publicId", app_id as "appId", uid, name, fields
from model
where space_id = ? and deleted_at is null
order by position, id;
-- rights of member
-- rights of member
-- rights of member
-- rights of member

-- leaveSpace: POST /api/project/{p}/members/leave
-- locks space
-- rights of member
-- select token by created_by
-- with admin
-- with gone
-- event: member.removed
-- audit: member.leaveSpace

-- updateMember: PUT /api/project/{p}/member/{id}
-- locks space
-- rights of member
-- role
-- rights of member
-- member
-- role
-- rights of member
update space_member
set role = ?
where space_id = ? and id = ?;
-- with admin
-- event: member.roleChanged
-- audit: member.update

-- deleteMember: DELETE /api/project/{p}/member/{id}
-- locks space
-- rights of member
-- member
-- role
-- rights of member
-- select token by created_by
-- with admin
-- with gone
-- event: member.removed
-- audit: member.remove

-- getCurrentAppRole: GET /api/project/{p}/app/{a}/currentRole

-- listAppMembers: GET /api/project/{p}/app/{a}/members
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
inner join (select member_id from app_member where space_id = ? and app_id = ? order by created_at, member_id
  limit ? offset ?) as page on page.member_id = space_member.id
where space_member.space_id = ? and app_member.app_id = ?
order by app_member.created_at, space_member.id;

-- listLeftMembers: GET /api/project/{p}/app/{a}/leftMembers
select space_member.id, space_member.account_id as "accountId", account.name, account.email, account.icon_id
  as "iconId", space_member.last_seen_at as "lastSeenAt", account.provisioned_by IS NOT NULL as provisioned,
  (account.email_verified_at IS NOT NULL OR account.provisioned_by IS NOT DISTINCT FROM space_member.space_id
  OR EXISTS (SELECT FROM sso_identity WHERE sso_identity.account_id = space_member.account_id AND
  sso_identity.space_id = space_member.space_id)) as "emailVerified", array_remove(ARRAY[ CASE WHEN EXISTS
  (SELECT FROM sso_identity WHERE sso_identity.account_id = space_member.account_id AND sso_identity.space_id
  = space_member.space_id) THEN 'sso' END, CASE WHEN EXISTS (SELECT FROM scim_user WHERE scim_user.space_id =
  space_member.space_id AND scim_user.member_id = space_member.id) THEN 'scim' END], NULL) as identities,
  left_app.role, left_app.left_at as "createdAt"
from space_member
inner join account on account.id = space_member.account_id
inner join left_app on left_app.space_id = space_member.space_id and left_app.member_id = space_member.id
where space_member.space_id = ? and left_app.app_id = ? and not exists (select from app_member where
  app_member.space_id = left_app.space_id and app_member.app_id = left_app.app_id and app_member.member_id =
  left_app.member_id)
order by left_app.left_at desc, space_member.id
limit ?
offset ?;

-- joinApp: POST /api/project/{p}/app/{a}/members/join
-- locks space
-- rights of member
select default_role
from app
where space_id = ? and id = ? and deleted_at is null;
select role
from left_app
where space_id = ? and app_id = ? and member_id = ?;
-- joins app
-- event: member.joinedApp
-- member of app
-- audit: member.join

-- leaveApp: POST /api/project/{p}/app/{a}/members/leave
-- locks space
-- rights of member
delete from app_member
where space_id = ? and app_id = ? and member_id = ?
returning role;
insert into left_app (space_id, app_id, member_id, role)
values (?, ?, ?, ?)
on conflict (space_id, app_id, member_id)
do update set role = ?, left_at = now();
-- event: member.leftApp
-- audit: member.leave

-- updateAppMember: PATCH /api/project/{p}/app/{a}/member/{id}
-- locks space
-- rights of member
-- role
-- rights of member
-- member of app
-- role
-- rights of member
update app_member
set role = ?
where space_id = ? and app_id = ? and member_id = ?
returning member_id;
-- event: member.roleChanged
-- audit: member.updateInApp

-- deleteAppMember: DELETE /api/project/{p}/app/{a}/member/{id}
-- locks space
-- rights of member
select role
from left_app
where space_id = ? and app_id = ? and member_id = ?;
-- member of app
-- role
-- rights of member
delete from app_member
where space_id = ? and app_id = ? and member_id = ?
returning role;
delete from left_app
where space_id = ? and app_id = ? and member_id = ?;
-- event: member.leftApp
-- audit: member.removeFromApp
