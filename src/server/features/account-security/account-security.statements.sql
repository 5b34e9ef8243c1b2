-- Several times: select account by id for no key update
select id, email, email_key as "emailKey", name, language, is_admin as "isAdmin", email_verified_at IS NOT
  NULL as "emailVerified"
from account
where id = ?
for no key update;

-- Several times: select attempt by key
select key
from attempt
where key = ? and window_start > now() - make_interval(mins => ?);

-- Several times: select account by id
select password_hash
from account
where id = ?;

-- Several times: update attempt by key
update attempt
set count = count - 1
where key = ? and count > ?;

-- Several times: insert account_link
insert into account_link (account_id, purpose, token_hash, email, email_key, created_at, expires_at, used_at)
values (?, ?, ?, ?, ?, now(), now() + make_interval(mins => ?), ?)
on conflict (account_id, purpose)
do update set token_hash = ?, email = ?, email_key = ?, created_at = now(), expires_at = now() +
  make_interval(mins => ?), used_at = ?
returning expires_at;

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
-- attempt
commit;
begin;
-- select account by id for no key update
commit;
-- audit: account.verifyEmail

-- sendEmailVerificationByAuth: POST /api/auth/account/{id}/emailVerification
-- attempt
commit;
begin;
-- select account by id for no key update
commit;
-- audit: account.verifyEmail

-- confirmEmail: POST /api/auth/confirm
update account_link
set used_at = now()
where token_hash = ? and purpose in (?, …) and used_at is null and expires_at > now()
returning account_id as "accountId", purpose, email, email_key as "emailKey";
rollback;

-- confirmOwnEmail: POST /api/account/{id}/emailConfirmation
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
-- audit: account.confirmEmail
-- audit in each space of an account: account.confirmEmail

-- changeEmail: POST /api/account/{id}/email
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
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
-- attempt
commit;
begin;
-- select account by id for no key update
select id, email, email_key as "emailKey", name, language, is_admin as "isAdmin", email_verified_at IS NOT
  NULL as "emailVerified"
from account
where email_key = ?;
-- insert account_link
-- insert account_link
-- job: mail.send
-- job: mail.send
commit;
-- audit: account.changeEmail

-- cancelEmailChange: DELETE /api/account/{id}/email
delete from account_link
where account_id = ? and purpose in (?, …);
-- audit: account.cancelEmailChange

-- changePassword: POST /api/account/{id}/password
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
-- audit: account.changePassword
-- audit in each space of an account: account.changePassword

-- forgotPassword: POST /api/auth/forgotPassword
-- attempt
commit;
-- job: accountSecurity.forgotPassword
-- audit: account.forgotPassword

-- lookAtReset: POST /api/auth/resetPassword/look
select account_id as "accountId", purpose, email, email_key as "emailKey"
from account_link
where token_hash = ? and purpose in (?, …) and used_at is null and expires_at > now();

-- resetPassword: POST /api/auth/resetPassword
-- attempt
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
-- audit: account.endSession

-- deleteAccount: POST /api/account/{id}/delete
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
-- audit: account.delete
-- audit in each space of an account: account.delete
