-- The second factor (docs/decisions/0046). None of these tables is reached by the management API's role inside of spaces.

-- The authenticator app of an account; in use once it has shown a code.
CREATE TABLE totp (
  account_id   hex_id PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  secret       text NOT NULL,              -- sealed by the keyring
  confirmed_at moment,
  last_step    bigint NOT NULL DEFAULT 0,  -- of the last code that was taken: none is taken twice
  created_at   moment NOT NULL DEFAULT now()
);

CREATE TABLE recovery_code (
  account_id hex_id NOT NULL REFERENCES account ON DELETE CASCADE,
  code_hash  bytea NOT NULL,
  PRIMARY KEY (account_id, code_hash)
);

CREATE TABLE passkey (
  id           hex_id PRIMARY KEY,
  account_id   hex_id NOT NULL REFERENCES account ON DELETE CASCADE,
  credential   text NOT NULL UNIQUE,       -- its id, base64url
  public_key   bytea NOT NULL,
  counter      bigint NOT NULL DEFAULT 0,
  transports   text[] NOT NULL DEFAULT '{}',
  name         text NOT NULL DEFAULT '',
  created_at   moment NOT NULL DEFAULT now(),
  used_at      moment
);
CREATE INDEX ON passkey (account_id);

-- Sign-ins that are not finished: the password was right, or a passkey is asked for (account_id NULL: anybody's).
CREATE TABLE sign_in_challenge (
  id         hex_id PRIMARY KEY,
  token_hash bytea NOT NULL,               -- of the cookie of the browser that began it
  account_id hex_id REFERENCES account ON DELETE CASCADE,
  webauthn   text,                         -- what a passkey is to sign
  failures   smallint NOT NULL DEFAULT 0,
  created_at moment NOT NULL DEFAULT now()
);
CREATE INDEX ON sign_in_challenge (account_id);
