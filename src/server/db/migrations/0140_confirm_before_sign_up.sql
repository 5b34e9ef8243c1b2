-- When a new account's address is confirmed: after it was made (the default), or before, so that sign-up tells nobody which
-- addresses have an account (docs/decisions/0045).
ALTER TABLE installation_setting ADD signup_confirmation text CHECK (signup_confirmation IN ('after', 'before'));

-- Sign-ups that wait for the link of their mail. There is a row for every one, whether its address has an account or not.
CREATE TABLE pending_account (
  id            hex_id PRIMARY KEY,
  email         text NOT NULL,
  email_key     text NOT NULL,
  password_hash text NOT NULL,
  name          text NOT NULL,
  language      text NOT NULL,
  invitation    text,                    -- the code that it came with, sealed
  token_hash    bytea UNIQUE,            -- of the link; NULL until that is mailed
  expires_at    moment NOT NULL
);
CREATE INDEX pending_account_email ON pending_account (email_key);
