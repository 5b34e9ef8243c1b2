-- finishSignIn: POST /api/auth/secondFactor

-- getSecondFactor: GET /api/account/{id}/secondFactor
select secret, confirmed_at
from totp
where account_id = ?;
select count(*) as count
from recovery_code
where account_id = ?;
select id, name, created_at as "createdAt", used_at as "usedAt"
from passkey
where account_id = ?
order by created_at, id;

-- beginPasskey: POST /api/account/{id}/secondFactor/passkeyOptions
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, email_key
from account
where id = ?;

-- addPasskey: POST /api/account/{id}/secondFactor/passkey

-- deletePasskey: POST /api/account/{id}/secondFactor/passkey/{passkey}/delete
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, email_key
from account
where id = ?;
select key
from attempt
where key = ? and window_start > now() - make_interval(mins => ?);
begin;
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
select password_hash
from account
where id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT space_id FROM space_member WHERE account_id = ? ORDER BY created_at LIMIT ?) AS spaces;

-- beginPasskeySignIn: POST /api/auth/passkeyOptions
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
insert into sign_in_challenge (id, token_hash, account_id, webauthn)
values (?, ?, ?, ?);

-- finishByPasskey: POST /api/auth/passkey

-- beginTotp: POST /api/account/{id}/secondFactor/totp
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, email_key
from account
where id = ?;

-- confirmTotp: POST /api/account/{id}/secondFactor/totp/confirm
select secret, confirmed_at
from totp
where account_id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT space_id FROM space_member WHERE account_id = ? ORDER BY created_at LIMIT ?) AS spaces;

-- renewRecoveryCodes: POST /api/account/{id}/secondFactor/recoveryCodes
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, email_key
from account
where id = ?;
select key
from attempt
where key = ? and window_start > now() - make_interval(mins => ?);
begin;
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
select password_hash
from account
where id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT space_id FROM space_member WHERE account_id = ? ORDER BY created_at LIMIT ?) AS spaces;

-- getMemberFactor: GET /api/project/{p}/member/{id}/secondFactor
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
SELECT has_second_factor(?) AS has;

-- askNewFactor: POST /api/project/{p}/member/{id}/secondFactor/reset
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
SELECT has_second_factor(?) AS has;
rollback;

-- resetSecondFactor: POST /api/auth/resetSecondFactor
select account_id as "accountId", purpose, email, email_key as "emailKey"
from account_link
where token_hash = ? and purpose in (?, …) and used_at is null and expires_at > now();

-- findAccountForAdmin: GET /api/admin/account
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, password_hash
from account
where email_key = ?;

-- resetSecondFactorByAdmin: POST /api/admin/account/{id}/resetSecondFactor
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, email_key
from account
where id = ?;
select key
from attempt
where key = ? and window_start > now() - make_interval(mins => ?);
begin;
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
select password_hash
from account
where id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT space_id FROM space_member WHERE account_id = ? ORDER BY created_at LIMIT ?) AS spaces;

-- disableSecondFactor: POST /api/account/{id}/secondFactor/disable
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, email_key
from account
where id = ?;
select key
from attempt
where key = ? and window_start > now() - make_interval(mins => ?);
begin;
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
select password_hash
from account
where id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT space_id FROM space_member WHERE account_id = ? ORDER BY created_at LIMIT ?) AS spaces;
