-- getSignupState: GET /api/auth/signupState
select id
from account
limit ?;

-- signup: POST /api/auth/signup
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
select id
from account
where email_key = ?;
begin;
SELECT pg_advisory_xact_lock(?);
insert into account (id, email, email_key, password_hash, name, language, is_admin)
values (?, ?, ?, ?, ?, ?, NOT EXISTS (SELECT FROM account))
returning id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at;
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
delete from session
where id_hash = ?;
insert into session (id_hash, account_id, csrf_token, user_agent, ip)
values (?, ?, ?, ?, ?);
DELETE FROM session
WHERE account_id = ? AND ( last_seen_at < now() - make_interval(hours => ?) OR created_at < now() -
  make_interval(days => ?) OR id_hash IN (SELECT id_hash FROM session WHERE account_id = ? ORDER BY
  last_seen_at DESC OFFSET ?));
select key
from attempt
where key = ? and window_start > now() - make_interval(mins => ?);
insert into attempt (key, window_start, count)
values (?, now(), ?)
on conflict (key)
do update set window_start = now();
commit;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- login: POST /api/auth/login
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
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, password_hash
from account
where email_key = ?;
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
select id
from account
where id = ? and password_hash = ?
for share;
SELECT has_second_factor(?) AS has;
delete from session
where id_hash = ?;
insert into session (id_hash, account_id, csrf_token, user_agent, ip)
values (?, ?, ?, ?, ?);
DELETE FROM session
WHERE account_id = ? AND ( last_seen_at < now() - make_interval(hours => ?) OR created_at < now() -
  make_interval(days => ?) OR id_hash IN (SELECT id_hash FROM session WHERE account_id = ? ORDER BY
  last_seen_at DESC OFFSET ?));
commit;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT space_id FROM space_member WHERE account_id = ? ORDER BY created_at LIMIT ?) AS spaces;

-- logout: POST /api/auth/logout
delete from session
where id_hash = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getCurrentAccount: GET /api/auth/getCurrentAccount

-- getCsrfToken: GET /api/auth/csrfToken

-- updateAccount: PUT /api/account/{id}
update account
set id = ?, name = ?
where id = ?
returning id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- getAccountIcon: GET /api/account/{id}/icon/{icon}
select media_type as "mediaType", bytes
from account_icon
where account_id = ? and id = ?;

-- uploadAccountIcon: POST /api/account/{id}/icon
update account
set id = ?, icon_id = ?
where id = ?
returning id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at;
insert into account_icon (account_id, id, media_type, bytes)
values (?, ?, ?, ?)
on conflict (account_id)
do update set id = ?, media_type = ?, bytes = ?;
commit;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
