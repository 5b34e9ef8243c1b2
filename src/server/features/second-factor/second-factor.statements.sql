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
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
returning key;
insert into attempt (key, window_start, count)
values (?, now(), ?)
on conflict (key)
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
returning key;
insert into attempt (key, window_start, count)
values (?, now(), ?)
on conflict (key)
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
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
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
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
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
returning key;
insert into attempt (key, window_start, count)
values (?, now(), ?)
on conflict (key)
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
returning key;
insert into attempt (key, window_start, count)
values (?, now(), ?)
on conflict (key)
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
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
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
returning key;
insert into attempt (key, window_start, count)
values (?, now(), ?)
on conflict (key)
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
returning key;
insert into attempt (key, window_start, count)
values (?, now(), ?)
on conflict (key)
do update set window_start = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?) THEN now()
  ELSE attempt.window_start END, count = CASE WHEN attempt.window_start <= now() - make_interval(mins => ?)
  THEN 1 ELSE attempt.count + 1 END
where (attempt.window_start <= now() - make_interval(mins => ?) or attempt.count < ?)
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
