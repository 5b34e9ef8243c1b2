-- Several times: select scim_connection by value_hash
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  scim_connection.id as "connectionId", last_used_at as "lastUsedAt", set_config('imori.space_id',
  space.id::text, true) || set_config('role', 'imori_member', true) as entered
from scim_connection
inner join space on space.id = scim_connection.space_id
where value_hash = ? and lower(space.uid) = ? and space.deleted_at is null;

-- Several times: select scim_group_member by user_id
SELECT user_id AS "userId", id, name
FROM scim_group_member
JOIN scim_group ON scim_group.space_id = ? AND scim_group.id = group_id
WHERE scim_group_member.space_id = ? AND user_id = ANY(?::text[])
ORDER BY name_key;

-- Several times: update scim_connection
update scim_connection
set last_used_at = now()
where space_id = ?;

-- Several times: select space_member
SELECT
FROM ( SELECT coalesce(known.id, member.id) AS id, coalesce(known.member_id, member.id) AS "memberId",
  known.id IS NOT NULL AS "isKnown", coalesce(known.user_name, account.email) AS "userName",
  coalesce(known.user_name_key, lower(account.email)) AS user_name_key, known.external_id AS "externalId",
  known.attributes, coalesce(known.version, 0) AS version, coalesce(known.created_at, member.created_at) AS
  "createdAt", coalesce(known.updated_at, member.created_at) AS "updatedAt", member.id IS NOT NULL AS
  "isActive", member.role, account.id AS "accountId", account.email, account.name, account.provisioned_by IS
  NOT NULL AS "isProvisioned", known.account_id AS "formerAccountId", known.kept FROM (SELECT * FROM
  space_member WHERE space_id = ?) AS member FULL JOIN (SELECT * FROM scim_user WHERE space_id = ?) AS known
  ON known.member_id = member.id LEFT JOIN account ON account.id = member.account_id) AS person
WHERE id IS DISTINCT
FROM ? AND (user_name_key = ? OR lower(email) = ? OR (NOT "isKnown" AND lower(email) = ?))
LIMIT 1;

-- Several times: select group_role
select name, role
from group_role
where space_id = ?
order by position;

-- Several times: select group_role_setting
select default_role, version
from group_role_setting
where space_id = ?;

-- Several times: select scim_connection
select id, last4, sends_mail, created_at, renewed_at, last_used_at
from scim_connection
where space_id = ?;

-- Several times: select space_member (2)
SELECT *
FROM ( SELECT coalesce(known.id, member.id) AS id, coalesce(known.member_id, member.id) AS "memberId",
  known.id IS NOT NULL AS "isKnown", coalesce(known.user_name, account.email) AS "userName",
  coalesce(known.user_name_key, lower(account.email)) AS user_name_key, known.external_id AS "externalId",
  known.attributes, coalesce(known.version, 0) AS version, coalesce(known.created_at, member.created_at) AS
  "createdAt", coalesce(known.updated_at, member.created_at) AS "updatedAt", member.id IS NOT NULL AS
  "isActive", member.role, account.id AS "accountId", account.email, account.name, account.provisioned_by IS
  NOT NULL AS "isProvisioned", known.account_id AS "formerAccountId", known.kept FROM (SELECT * FROM
  space_member WHERE space_id = ?) AS member FULL JOIN (SELECT * FROM scim_user WHERE space_id = ?) AS known
  ON known.member_id = member.id LEFT JOIN account ON account.id = member.account_id) AS person
WHERE (id = ?)
ORDER BY "createdAt", id;

-- Several times: select sso_connection by is_complete
select sso_domain.domain
from sso_connection
inner join sso_domain on sso_domain.space_id = sso_connection.space_id
where sso_connection.space_id = ? and is_complete = ? and proof is not null
order by domain;

-- Several times: insert account_known_as
insert into account_known_as (account_id, who)
values (?, ?)
on conflict do nothing;

-- Several times: select token by created_by
select name
from token
where space_id = ? and created_by = ? and (expires_at IS NULL OR expires_at > now())
order by kind, created_at desc
limit ?;

-- Several times: select scim_group_member by group_id
SELECT group_id AS "groupId", user_id AS "userId", coalesce(scim_user.attributes->>'displayName',
  scim_user.user_name) AS name
FROM scim_group_member
JOIN scim_user ON scim_user.space_id = ? AND scim_user.id = user_id
WHERE scim_group_member.space_id = ? AND group_id = ANY(?::text[])
ORDER BY user_id;

-- Several times: insert scim_group_member
INSERT INTO scim_group_member (space_id, group_id, user_id)
SELECT ?, ?, unnest(?::text[])
ON CONFLICT DO NOTHING;

-- Several times: select scim_group by id
select id, name, external_id as "externalId", version, created_at as "createdAt", updated_at as "updatedAt"
from scim_group
where space_id = ? and id = ?
order by created_at, id;

-- Several times: select group_app_role
select app.id as "appId", app.uid as app, group_app_role.name, group_app_role.role
from group_app_role
inner join app on app.space_id = group_app_role.space_id and app.id = group_app_role.app_id and app.deleted_at
  is null
where group_app_role.space_id = ?
order by app.position, app.id, group_app_role.position;

-- Several times: select space_member (3)
SELECT *
FROM ( SELECT coalesce(known.id, member.id) AS id, coalesce(known.member_id, member.id) AS "memberId",
  known.id IS NOT NULL AS "isKnown", coalesce(known.user_name, account.email) AS "userName",
  coalesce(known.user_name_key, lower(account.email)) AS user_name_key, known.external_id AS "externalId",
  known.attributes, coalesce(known.version, 0) AS version, coalesce(known.created_at, member.created_at) AS
  "createdAt", coalesce(known.updated_at, member.created_at) AS "updatedAt", member.id IS NOT NULL AS
  "isActive", member.role, account.id AS "accountId", account.email, account.name, account.provisioned_by IS
  NOT NULL AS "isProvisioned", known.account_id AS "formerAccountId", known.kept FROM (SELECT * FROM
  space_member WHERE space_id = ?) AS member FULL JOIN (SELECT * FROM scim_user WHERE space_id = ?) AS known
  ON known.member_id = member.id LEFT JOIN account ON account.id = member.account_id) AS person
WHERE (id = ANY(?::text[]))
ORDER BY "createdAt", id;

-- listScimUsers: GET /scim/v2/{p}/Users
-- select scim_connection by value_hash
SELECT *
FROM ( SELECT coalesce(known.id, member.id) AS id, coalesce(known.member_id, member.id) AS "memberId",
  known.id IS NOT NULL AS "isKnown", coalesce(known.user_name, account.email) AS "userName",
  coalesce(known.user_name_key, lower(account.email)) AS user_name_key, known.external_id AS "externalId",
  known.attributes, coalesce(known.version, 0) AS version, coalesce(known.created_at, member.created_at) AS
  "createdAt", coalesce(known.updated_at, member.created_at) AS "updatedAt", member.id IS NOT NULL AS
  "isActive", member.role, account.id AS "accountId", account.email, account.name, account.provisioned_by IS
  NOT NULL AS "isProvisioned", known.account_id AS "formerAccountId", known.kept FROM (SELECT * FROM
  space_member WHERE space_id = ?) AS member FULL JOIN (SELECT * FROM scim_user WHERE space_id = ?) AS known
  ON known.member_id = member.id LEFT JOIN account ON account.id = member.account_id) AS person
WHERE true
ORDER BY "createdAt", id
LIMIT ?
OFFSET ?;
SELECT count(*)::int AS total
FROM ( SELECT coalesce(known.id, member.id) AS id, coalesce(known.member_id, member.id) AS "memberId",
  known.id IS NOT NULL AS "isKnown", coalesce(known.user_name, account.email) AS "userName",
  coalesce(known.user_name_key, lower(account.email)) AS user_name_key, known.external_id AS "externalId",
  known.attributes, coalesce(known.version, 0) AS version, coalesce(known.created_at, member.created_at) AS
  "createdAt", coalesce(known.updated_at, member.created_at) AS "updatedAt", member.id IS NOT NULL AS
  "isActive", member.role, account.id AS "accountId", account.email, account.name, account.provisioned_by IS
  NOT NULL AS "isProvisioned", known.account_id AS "formerAccountId", known.kept FROM (SELECT * FROM
  space_member WHERE space_id = ?) AS member FULL JOIN (SELECT * FROM scim_user WHERE space_id = ?) AS known
  ON known.member_id = member.id LEFT JOIN account ON account.id = member.account_id) AS person
WHERE true;
-- select scim_group_member by user_id
-- audit: scim.list
commit;
-- update scim_connection

-- searchScimUsers: POST /scim/v2/{p}/Users/.search
-- select scim_connection by value_hash
SELECT *
FROM ( SELECT coalesce(known.id, member.id) AS id, coalesce(known.member_id, member.id) AS "memberId",
  known.id IS NOT NULL AS "isKnown", coalesce(known.user_name, account.email) AS "userName",
  coalesce(known.user_name_key, lower(account.email)) AS user_name_key, known.external_id AS "externalId",
  known.attributes, coalesce(known.version, 0) AS version, coalesce(known.created_at, member.created_at) AS
  "createdAt", coalesce(known.updated_at, member.created_at) AS "updatedAt", member.id IS NOT NULL AS
  "isActive", member.role, account.id AS "accountId", account.email, account.name, account.provisioned_by IS
  NOT NULL AS "isProvisioned", known.account_id AS "formerAccountId", known.kept FROM (SELECT * FROM
  space_member WHERE space_id = ?) AS member FULL JOIN (SELECT * FROM scim_user WHERE space_id = ?) AS known
  ON known.member_id = member.id LEFT JOIN account ON account.id = member.account_id) AS person
WHERE true
ORDER BY "createdAt", id;
-- select scim_group_member by user_id
-- audit: scim.list
commit;
-- update scim_connection

-- createScimUser: POST /scim/v2/{p}/Users
-- select scim_connection by value_hash
-- locks space
-- select space_member
insert into scim_user (space_id, id, member_id, user_name, user_name_key, external_id, attributes)
values (?, ?, ?, ?, ?, ?, ?);
-- select group_role
-- select group_role_setting
SELECT provision_account(?, ?, ?, ?);
insert into space_member (space_id, id, account_id, role, signed_in_after)
values (?, ?, ?, ?, ?);
DELETE FROM removed_member
USING account
WHERE space_id = ? AND account.id = ? AND who = ANY(ARRAY(SELECT account.id::text UNION SELECT
  encode(sha256(convert_to(lower(account.email), 'UTF8')), 'hex') UNION SELECT who FROM account_known_as WHERE
  account_id = account.id));
-- event: member.joined
-- select scim_connection
update invitation
set revoked_at = now()
where space_id = ? and email_key = ? and app_id IS NOT DISTINCT
FROM ?::int and revoked_at is null;
insert into invitation (space_id, id, code_hash, email, email_key, role, app_id, app_role, use_sso,
  maximum_uses, member_id, provisioned, expires_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, now() + make_interval(days => ?));
-- event: invitation.created
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
-- job: mail.send
delete from removed_member
where space_id = ? and who in (?, …);
-- audit: member.provision
-- select space_member (2)
-- select scim_group_member by user_id
-- select sso_connection by is_complete
-- insert account_known_as
commit;
-- update scim_connection

-- getScimUser: GET /scim/v2/{p}/Users/{id}
-- select scim_connection by value_hash
-- select space_member (2)
-- select scim_group_member by user_id
commit;
-- update scim_connection

-- replaceScimUser: PUT /scim/v2/{p}/Users/{id}
-- select scim_connection by value_hash
-- locks space
-- select space_member (2)
-- select scim_group_member by user_id
-- select space_member
insert into scim_user (space_id, id, member_id, user_name, user_name_key, external_id, attributes)
values (?, ?, ?, ?, ?, ?, ?);
update scim_user
set version = version + 1, updated_at = now(), user_name = ?, user_name_key = ?, external_id = ?, attributes =
  ?
where space_id = ? and id = ?;
delete from removed_member
where space_id = ? and who in (?, …);
-- audit: member.update
-- select space_member (2)
-- select scim_group_member by user_id
-- select sso_connection by is_complete
-- insert account_known_as
commit;
-- update scim_connection

-- patchScimUser: PATCH /scim/v2/{p}/Users/{id}
-- select scim_connection by value_hash
-- locks space
-- select space_member (2)
-- select scim_group_member by user_id
-- select space_member
insert into scim_user (space_id, id, member_id, user_name, user_name_key, external_id, attributes)
values (?, ?, ?, ?, ?, ?, ?);
update scim_user
set version = version + 1, updated_at = now(), user_name = ?, user_name_key = ?, external_id = ?, attributes =
  ?
where space_id = ? and id = ?;
delete from removed_member
where space_id = ? and who in (?, …);
-- audit: member.update
-- select space_member (2)
-- select scim_group_member by user_id
-- select sso_connection by is_complete
-- insert account_known_as
commit;
-- update scim_connection

-- deleteScimUser: DELETE /scim/v2/{p}/Users/{id}
-- select scim_connection by value_hash
-- locks space
-- select space_member (2)
-- select scim_group_member by user_id
-- locks space
-- member
-- role
-- select token by created_by
WITH admin AS (SELECT account_id FROM space_member WHERE space_member.space_id = ? AND NOT EXISTS (SELECT FROM
  account WHERE account.id = space_member.account_id AND provisioned_by IS NOT NULL) AND space_member.role IN
  (SELECT uid FROM role WHERE target = 'project' AND (space_id IS NULL OR space_id = ?) AND rights @>
  ?::text[]) AND id IS DISTINCT FROM ?)
SELECT EXISTS (SELECT FROM admin) AS "hasAdmin", NOT EXISTS (SELECT FROM space_security JOIN space_member AS
  exempt ON exempt.space_id = space_security.space_id AND exempt.account_id = sso_exempt WHERE
  space_security.space_id = ? AND sso_required AND (exempt.id = ? OR exempt.role = ?) AND sso_exempt NOT IN
  (SELECT account_id FROM admin)) AS "hasExempt";
WITH gone AS (DELETE FROM space_member WHERE space_id = ? AND id = ? RETURNING account_id)
INSERT INTO removed_member (space_id, who, removed_at)
SELECT ?, unnest(ARRAY(SELECT account.id::text UNION SELECT encode(sha256(convert_to(lower(account.email),
  'UTF8')), 'hex') UNION SELECT who FROM account_known_as WHERE account_id = account.id)), clock_timestamp()
FROM gone
JOIN account ON account.id = gone.account_id
ON CONFLICT DO NOTHING;
-- event: member.removed
insert into removed_member (space_id, who)
values (?, ?)
on conflict do nothing;
delete from scim_user
where space_id = ? and id = ?;
-- select token by created_by
-- audit: member.deprovision
commit;
-- update scim_connection

-- listScimGroups: GET /scim/v2/{p}/Groups
-- select scim_connection by value_hash
select id, name, external_id as "externalId", version, created_at as "createdAt", updated_at as "updatedAt"
from scim_group
where space_id = ?
order by created_at, id
limit ?
offset ?;
select count(*) as total
from scim_group
where space_id = ?;
-- select scim_group_member by group_id
commit;
-- update scim_connection

-- searchScimGroups: POST /scim/v2/{p}/Groups/.search
-- select scim_connection by value_hash
select id, name, external_id as "externalId", version, created_at as "createdAt", updated_at as "updatedAt"
from scim_group
where space_id = ? and name_key = ?
order by created_at, id
limit ?
offset ?;
select count(*) as total
from scim_group
where space_id = ? and name_key = ?;
-- select scim_group_member by group_id
commit;
-- update scim_connection

-- createScimGroup: POST /scim/v2/{p}/Groups
-- select scim_connection by value_hash
-- locks space
insert into scim_group (space_id, id, name, name_key, external_id)
values (?, ?, ?, ?, ?);
-- audit: group.create
-- insert scim_group_member
DELETE FROM scim_group_member
WHERE space_id = ? AND group_id = ? AND user_id = ANY(?::text[]);
-- select scim_group by id
-- select scim_group_member by group_id
commit;
-- update scim_connection

-- getScimGroup: GET /scim/v2/{p}/Groups/{id}
-- select scim_connection by value_hash
-- select scim_group by id
-- select scim_group_member by group_id
commit;
-- update scim_connection

-- replaceScimGroup: PUT /scim/v2/{p}/Groups/{id}
-- select scim_connection by value_hash
-- locks space
-- select scim_group by id
-- select scim_group_member by group_id
update scim_group
set name = ?, name_key = ?, external_id = ?, version = version + 1, updated_at = now()
where space_id = ? and id = ?;
-- audit: group.update
-- select group_role
-- select group_role_setting
-- select group_app_role
-- select space_member (3)
-- select scim_group_member by user_id
INSERT INTO scim_user (space_id, id, member_id, user_name, user_name_key, external_id, attributes)
SELECT ?, *
FROM jsonb_to_recordset(?::jsonb) AS given (id text, member_id text, user_name text, user_name_key text,
  external_id text, attributes jsonb);
-- insert scim_group_member
DELETE FROM scim_group_member
WHERE space_id = ? AND group_id = ? AND user_id = ANY(?::text[]);
-- select scim_group by id
-- select scim_group_member by group_id
commit;
-- update scim_connection

-- patchScimGroup: PATCH /scim/v2/{p}/Groups/{id}
-- select scim_connection by value_hash
-- locks space
-- select scim_group by id
-- select scim_group_member by group_id
update scim_group
set name = ?, name_key = ?, external_id = ?, version = version + 1, updated_at = now()
where space_id = ? and id = ?;
-- audit: group.update
-- select group_role
-- select group_role_setting
-- select group_app_role
-- select space_member (3)
-- select scim_group_member by user_id
INSERT INTO scim_user (space_id, id, member_id, user_name, user_name_key, external_id, attributes)
SELECT ?, *
FROM jsonb_to_recordset(?::jsonb) AS given (id text, member_id text, user_name text, user_name_key text,
  external_id text, attributes jsonb);
-- insert scim_group_member
DELETE FROM scim_group_member
WHERE space_id = ? AND group_id = ? AND user_id = ANY(?::text[]);
-- select scim_group by id
-- select scim_group_member by group_id
commit;
-- update scim_connection

-- deleteScimGroup: DELETE /scim/v2/{p}/Groups/{id}
-- select scim_connection by value_hash
-- locks space
-- select scim_group by id
-- select scim_group_member by group_id
-- audit: group.delete
-- insert scim_group_member
DELETE FROM scim_group_member
WHERE space_id = ? AND group_id = ? AND user_id = ANY(?::text[]);
delete from scim_group
where space_id = ? and id = ?;
commit;
-- update scim_connection

-- getScimConfig: GET /scim/v2/{p}/ServiceProviderConfig
-- select scim_connection by value_hash
commit;
-- update scim_connection

-- listScimResourceTypes: GET /scim/v2/{p}/ResourceTypes
-- select scim_connection by value_hash
commit;
-- update scim_connection

-- getScimResourceType: GET /scim/v2/{p}/ResourceTypes/{id}
-- select scim_connection by value_hash
commit;
-- update scim_connection

-- listScimSchemas: GET /scim/v2/{p}/Schemas
-- select scim_connection by value_hash
commit;
-- update scim_connection

-- getScimSchema: GET /scim/v2/{p}/Schemas/{id}
-- select scim_connection by value_hash
commit;
-- update scim_connection

-- getScim: GET /api/project/{p}/scim
-- select scim_connection

-- createScim: POST /api/project/{p}/scim
-- locks space
-- rights of member
-- select scim_connection
insert into scim_connection (space_id, id, value_hash, last4, sends_mail, created_by)
values (?, ?, ?, ?, ?, ?)
on conflict (space_id)
do update set id = ?, value_hash = ?, last4 = ?, sends_mail = ?, created_by = ?, renewed_at = now(),
  last_used_at = ?
returning id, last4, sends_mail, created_at, renewed_at, last_used_at;
-- audit: scim.refresh

-- updateScim: PUT /api/project/{p}/scim
-- locks space
-- rights of member
-- select scim_connection
update scim_connection
set sends_mail = ?
where space_id = ?
returning id, last4, sends_mail, created_at, renewed_at, last_used_at;
-- audit: scim.update

-- deleteScim: DELETE /api/project/{p}/scim
-- locks space
-- rights of member
-- select scim_connection
delete from scim_connection
where space_id = ?
returning id;
delete from scim_group
where space_id = ?;
delete from scim_user
where space_id = ?;
-- audit: scim.delete
