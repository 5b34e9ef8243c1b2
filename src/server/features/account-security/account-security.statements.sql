-- getAccountSecurity: GET /api/account/{id}/security
select id_hash, user_agent as "userAgent", ip, created_at as "createdAt", last_seen_at as "lastSeenAt",
  substr(encode(id_hash, 'hex'), 1, 24) as id
from session
where account_id = ? and last_seen_at > now() - make_interval(hours => ?) and created_at > now() -
  make_interval(days => ?)
order by last_seen_at desc;
select purpose, email, email_key as "emailKey", used_at
from account_link
where account_id = ? and purpose in (?, …) and expires_at > now();

-- sendEmailVerification: POST /api/account/{id}/emailVerification
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
begin;
select id, email, email_key as "emailKey", name, language, is_admin as "isAdmin", email_verified_at IS NOT
  NULL as "emailVerified"
from account
where id = ?
for no key update;
insert into account_link (account_id, purpose, token_hash, email, email_key, created_at, expires_at, used_at)
values (?, ?, ?, ?, ?, now(), now() + make_interval(mins => ?), ?)
on conflict (account_id, purpose)
do update set token_hash = ?, email = ?, email_key = ?, created_at = now(), expires_at = now() +
  make_interval(mins => ?), used_at = ?
returning expires_at;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
commit;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- sendEmailVerificationByAuth: POST /api/auth/account/{id}/emailVerification
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
begin;
select id, email, email_key as "emailKey", name, language, is_admin as "isAdmin", email_verified_at IS NOT
  NULL as "emailVerified"
from account
where id = ?
for no key update;
insert into account_link (account_id, purpose, token_hash, email, email_key, created_at, expires_at, used_at)
values (?, ?, ?, ?, ?, now(), now() + make_interval(mins => ?), ?)
on conflict (account_id, purpose)
do update set token_hash = ?, email = ?, email_key = ?, created_at = now(), expires_at = now() +
  make_interval(mins => ?), used_at = ?
returning expires_at;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
commit;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- confirmEmail: POST /api/auth/confirm
update account_link
set used_at = now()
where token_hash = ? and purpose in (?, …) and used_at is null and expires_at > now()
returning account_id as "accountId", purpose, email, email_key as "emailKey";
rollback;

-- changeEmail: POST /api/account/{id}/email
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
update attempt
set count = count - 1
where key = ? and count > ?;
update attempt
set count = count - 1
where key = ? and count > ?;
update attempt
set count = count - 1
where key = ? and count > ?;
delete from attempt
where key = ?;
insert into attempt (key, window_start, count)
values (?, now(), ?)
on conflict (key)
do update set window_start = now();
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
commit;
begin;
select id, email, email_key as "emailKey", name, language, is_admin as "isAdmin", email_verified_at IS NOT
  NULL as "emailVerified"
from account
where id = ?
for no key update;
select id, email, email_key as "emailKey", name, language, is_admin as "isAdmin", email_verified_at IS NOT
  NULL as "emailVerified"
from account
where email_key = ?;
insert into account_link (account_id, purpose, token_hash, email, email_key, created_at, expires_at, used_at)
values (?, ?, ?, ?, ?, now(), now() + make_interval(mins => ?), ?)
on conflict (account_id, purpose)
do update set token_hash = ?, email = ?, email_key = ?, created_at = now(), expires_at = now() +
  make_interval(mins => ?), used_at = ?
returning expires_at;
insert into account_link (account_id, purpose, token_hash, email, email_key, created_at, expires_at, used_at)
values (?, ?, ?, ?, ?, now(), now() + make_interval(mins => ?), ?)
on conflict (account_id, purpose)
do update set token_hash = ?, email = ?, email_key = ?, created_at = now(), expires_at = now() +
  make_interval(mins => ?), used_at = ?
returning expires_at;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
update account_link
set used_at = now()
where account_id = ? and purpose = ?;
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
commit;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- cancelEmailChange: DELETE /api/account/{id}/email
delete from account_link
where account_id = ? and purpose in (?, …);
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- changePassword: POST /api/account/{id}/password
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

-- forgotPassword: POST /api/auth/forgotPassword
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
insert into job (id, space_id, name, payload, key, queue, priority, is_long, max_attempts, requested_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
returning id;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- lookAtReset: POST /api/auth/resetPassword/look
select account_id as "accountId", purpose, email, email_key as "emailKey"
from account_link
where token_hash = ? and purpose in (?, …) and used_at is null and expires_at > now();

-- resetPassword: POST /api/auth/resetPassword
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
select account_id as "accountId", purpose, email, email_key as "emailKey"
from account_link
where token_hash = ? and purpose in (?, …) and used_at is null and expires_at > now();

-- endSession: DELETE /api/account/{id}/session/{session}
delete from session
where account_id = ? and substr(encode(id_hash, 'hex'), 1, 24) = ?;

-- endOtherSessions: DELETE /api/account/{id}/session
delete from session
where account_id = ? and id_hash != ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- deleteAccount: POST /api/account/{id}/delete
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
