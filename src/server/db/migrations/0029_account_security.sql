-- Who may sign up, links by mail, and what is told of sessions (docs/decisions/0045). None of these tables is reached by
-- the management API's role inside of spaces.

-- What the installation's admins have set; one row, or none. NULL: as if nothing was set.
CREATE TABLE installation_setting (
  only_one   boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  signup     text CHECK (signup IN ('invited', 'open', 'closed')),
  updated_at moment NOT NULL DEFAULT now()
);

ALTER TABLE account ADD email_verified_at moment;     -- somebody opened a mail that was sent to it
GRANT SELECT (email_verified_at) ON account TO imori_member;

ALTER TABLE session ADD user_agent text NOT NULL DEFAULT '', ADD ip text NOT NULL DEFAULT '';

-- Links in mails, of each purpose the newest of an account.
CREATE TABLE account_link (
  account_id hex_id NOT NULL REFERENCES account ON DELETE CASCADE,
  purpose    text NOT NULL CHECK (purpose IN ('confirmEmail', 'resetPassword', 'newEmail', 'oldEmail')),
  token_hash bytea NOT NULL UNIQUE,
  email      text NOT NULL,              -- the account's when the link was made; of a change, the new one
  email_key  text NOT NULL,
  created_at moment NOT NULL DEFAULT now(),
  expires_at moment NOT NULL,
  used_at    moment,
  PRIMARY KEY (account_id, purpose)
);
