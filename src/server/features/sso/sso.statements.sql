-- Several times: select sso_connection
select space_id, id, kind, settings, secret, provisions, is_complete, version
from sso_connection
where space_id = ?;

-- Several times: select sso_domain
select domain, challenge, proof, checked_at as "checkedAt"
from sso_domain
where space_id = ?
order by domain;

-- Several times: insert sso_connection
insert into sso_connection (space_id, id, kind, settings, secret, provisions, is_complete)
values (?, ?, ?, ?, ?, ?, ?)
on conflict (space_id)
do update set kind = ?, settings = ?, secret = ?, provisions = ?, is_complete = ?, version =
  sso_connection.version + 1, updated_at = now()
returning space_id, id, kind, settings, secret, provisions, is_complete, version;

-- Several times: select sso_connection by is_complete
select sso_connection.space_id, sso_connection.id, kind, settings, secret, ARRAY(SELECT domain FROM sso_domain
  WHERE sso_domain.space_id = sso_connection.space_id AND proof IS NOT NULL) as domains, provisions,
  is_complete, sso_connection.version, space.uid as "spaceUid", space.name as "spaceName", space.plan
from sso_connection
inner join space on space.id = sso_connection.space_id
where space.deleted_at is null and is_complete = ? and lower(space.uid) = ?;

-- Several times: select sso_identity by account_id
select issuer, subject, sso_identity.created_at as "createdAt", last_used_at as "lastUsedAt", connection_id as
  id, space.id as "spaceId", space.uid as "spaceUid", space.name as "spaceName"
from sso_identity
inner join space on space.id = sso_identity.space_id
where account_id = ? and space.deleted_at is null
order by sso_identity.created_at;

-- Several times: select sso_connection by is_complete, id
select sso_connection.space_id, sso_connection.id, kind, settings, secret, ARRAY(SELECT domain FROM sso_domain
  WHERE sso_domain.space_id = sso_connection.space_id AND proof IS NOT NULL) as domains, provisions,
  is_complete, sso_connection.version, space.uid as "spaceUid", space.name as "spaceName", space.plan
from sso_connection
inner join space on space.id = sso_connection.space_id
where space.deleted_at is null and is_complete = ? and sso_connection.id = ?;

-- getSso: GET /api/project/{p}/sso
-- select sso_connection
-- select sso_domain

-- readSsoMetadata: POST /api/project/{p}/sso/metadata

-- updateSso: PUT /api/project/{p}/sso
-- locks space
-- rights of member
-- select sso_connection
-- select sso_domain
-- insert sso_connection
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
-- select sso_domain
-- audit: security.ssoUpdate

-- deleteSso: DELETE /api/project/{p}/sso
-- locks space
-- rights of member
-- select sso_connection
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
-- role
-- rights of member
select app.id as "appId", app.uid as app, group_app_role.name, group_app_role.role
from group_app_role
inner join app on app.space_id = group_app_role.space_id and app.id = group_app_role.app_id and app.deleted_at
  is null
where group_app_role.space_id = ?
order by app.position, app.id, group_app_role.position;
select ip_ranges, ip_ranges_pending_until, ip_ranges_before, session_hours, second_factor, sso_required,
  sso_exempt
from space_security
where space_id = ?;
-- select sso_domain
delete from sso_connection
where space_id = ?;
-- audit: security.ssoDelete

-- testSso: POST /api/project/{p}/sso/test
commit;
begin;
-- enters space
-- select sso_connection

-- trySso: POST /api/project/{p}/sso/try
commit;
begin;
-- enters space
-- select sso_connection by is_complete
commit;
begin;
-- enters space
insert into sso_sign_in (id, connection_id, state_hash, browser_hash, kept, popup, target, expires_at)
values (?, ?, ?, ?, ?, ?, ?, now() + make_interval(mins => ?));

-- listSsoRefusals: GET /api/project/{p}/sso/refusal
-- select sso_connection
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
-- enters space
-- select sso_connection
select domain, challenge, proof, checked_at as "checkedAt"
from sso_domain
where space_id = ? and domain = ?;
commit;
begin;
-- enters space
-- locks space
-- rights of member
-- select sso_connection
-- select sso_domain
-- audit: security.ssoDomain

-- confirmSsoDomain: POST /api/project/{p}/sso/domain:confirm
rollback;
-- audit: security.ssoDomain

-- listSsoCertificates: GET /api/project/{p}/sso/certificate
-- select sso_connection

-- addSsoCertificate: POST /api/project/{p}/sso/certificate
-- locks space
-- rights of member
-- select sso_connection
-- insert sso_connection
-- audit: security.ssoCertificate

-- deleteSsoCertificate: DELETE /api/project/{p}/sso/certificate/{fingerprint}
-- locks space
-- rights of member
-- select sso_connection
rollback;

-- getMemberIdentities: GET /api/project/{p}/member/{id}/identity
-- member
select issuer, subject, sso_identity.created_at as "createdAt", last_used_at as "lastUsedAt"
from sso_identity
where space_id = ? and account_id = ?;
select user_name as "userName", external_id as "externalId"
from scim_user
where space_id = ? and member_id = ?;

-- unlinkMember: DELETE /api/project/{p}/member/{id}/identity
-- locks space
-- rights of member
-- member
-- role
-- rights of member
SELECT unlink_sso_identity(?, ?) AS issuer;
rollback;

-- listOwnIdentities: GET /api/account/{id}/identity
-- select sso_identity by account_id

-- unlinkOwnIdentity: DELETE /api/account/{id}/identity/{identity}
-- select sso_identity by account_id
rollback;

-- beginSso: POST /api/auth/sso
-- attempt
commit;
-- select sso_connection by is_complete
insert into sso_sign_in (id, connection_id, state_hash, browser_hash, kept, popup, target, expires_at)
values (?, ?, ?, ?, ?, ?, ?, now() + make_interval(mins => ?));

-- finishSso: POST /api/auth/sso/finish
select id, connection_id as "connectionId", kept, popup, target
from sso_sign_in
where code_hash = ? and browser_hash is null and expires_at > now()
for update;
rollback;

-- answerOidc: GET /api/sso/{id}/callback
-- select sso_connection by is_complete, id

-- answerSaml: POST /api/sso/{id}/acs
-- select sso_connection by is_complete, id
-- audit: security.ssoRefuse

-- getSamlMetadata: GET /api/sso/{id}/metadata
select id
from sso_connection
where id = ?;

-- linkSso: POST /api/auth/sso/link
select id, connection_id as "connectionId", kept, popup, target
from sso_sign_in
where code_hash = ? and browser_hash is null and expires_at > now()
for update;
rollback;
