-- Several times: select attempt by key
select key
from attempt
where key = ? and window_start > now() - make_interval(mins => ?);

-- Several times: select account by id
select password_hash
from account
where id = ?;

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
-- account
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
-- audit: account.beginPasskey
-- audit in each space of an account: account.beginPasskey

-- addPasskey: POST /api/account/{id}/secondFactor/passkey

-- deletePasskey: POST /api/account/{id}/secondFactor/passkey/{passkey}/delete
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
-- audit: account.deletePasskey
-- audit in each space of an account: account.deletePasskey

-- beginPasskeySignIn: POST /api/auth/passkeyOptions
-- attempt
commit;
insert into sign_in_challenge (id, token_hash, account_id, webauthn)
values (?, ?, ?, ?);

-- finishByPasskey: POST /api/auth/passkey

-- beginTotp: POST /api/account/{id}/secondFactor/totp
-- account
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
-- audit: account.beginSecondFactor
-- audit in each space of an account: account.beginSecondFactor

-- confirmTotp: POST /api/account/{id}/secondFactor/totp/confirm
select secret, confirmed_at
from totp
where account_id = ?;
-- audit: account.enableSecondFactor
-- audit in each space of an account: account.enableSecondFactor

-- renewRecoveryCodes: POST /api/account/{id}/secondFactor/recoveryCodes
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
-- audit: account.renewRecoveryCodes
-- audit in each space of an account: account.renewRecoveryCodes

-- getMemberFactor: GET /api/project/{p}/member/{id}/secondFactor
-- member
SELECT has_second_factor(?) AS has;

-- askNewFactor: POST /api/project/{p}/member/{id}/secondFactor/reset
-- locks space
-- rights of member
-- member
-- role
-- rights of member
SELECT has_second_factor(?) AS has;
rollback;

-- resetSecondFactor: POST /api/auth/resetSecondFactor
select account_id as "accountId", purpose, email, email_key as "emailKey"
from account_link
where token_hash = ? and purpose in (?, …) and used_at is null and expires_at > now();

-- resetSecondFactorByAdmin: POST /api/admin/account/{id}/resetSecondFactor
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
-- audit: account.resetSecondFactor
-- audit in each space of an account: account.resetSecondFactor

-- disableSecondFactor: POST /api/account/{id}/secondFactor/disable
-- account
-- select attempt by key
begin;
-- attempt
-- attempt
-- attempt
commit;
-- select account by id
-- audit: account.disableSecondFactor
-- audit in each space of an account: account.disableSecondFactor
