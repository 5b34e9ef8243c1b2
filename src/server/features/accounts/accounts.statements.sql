-- Several times: update attempt by key
update attempt
set count = count - 1
where key = ? and count > ?;

-- getSignupState: GET /api/auth/signupState
select id
from account
limit ?;

-- signup: POST /api/auth/signup
-- attempt
commit;
select id
from account
limit ?;
select signup_confirmation
from installation_setting;
begin;
-- attempt
-- attempt
commit;
select id
from account
where email_key = ?;
-- update attempt by key
-- update attempt by key
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
-- job: mail.send
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
-- audit: account.signup

-- lookAtSignup: POST /api/auth/signup/look
select email, email_key as "emailKey", name, language, invitation, password_hash as "passwordHash"
from pending_account
where token_hash = ? and expires_at > now();

-- finishSignup: POST /api/auth/signup/finish
-- attempt
commit;
select email, email_key as "emailKey", name, language, invitation, password_hash as "passwordHash"
from pending_account
where token_hash = ? and expires_at > now();

-- login: POST /api/auth/login
select key
from attempt
where key = ? and window_start > now() - make_interval(mins => ?);
begin;
-- attempt
-- attempt
-- attempt
commit;
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, password_hash
from account
where email_key = ?;
-- update attempt by key
-- update attempt by key
-- update attempt by key
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
-- audit: account.login
-- audit in each space of an account: account.login

-- logout: POST /api/auth/logout
delete from session
where id_hash = ?;
-- audit: account.logout

-- getCurrentAccount: GET /api/auth/getCurrentAccount

-- getCsrfToken: GET /api/auth/csrfToken

-- updateAccount: PUT /api/account/{id}
update account
set id = ?, name = ?
where id = ?
returning id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at;
-- audit: account.update

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
-- audit: account.update
