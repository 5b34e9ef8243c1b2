-- What a space's roles are by the groups of a directory, which tells of them when people sign in by SSO or are provisioned
-- (docs/decisions/0051). The first line that names a group somebody is in decides.
CREATE TABLE group_role (
  space_id int NOT NULL REFERENCES space,
  position int NOT NULL,
  name     text NOT NULL CHECK (name <> ''),  -- of the group, exactly as the directory sends it
  role     text NOT NULL,                     -- uid of a role of the space
  PRIMARY KEY (space_id, position),
  UNIQUE (space_id, name)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON group_role TO imori_member;
ALTER TABLE group_role ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON group_role TO imori_member USING (space_id = current_setting('imori.space_id')::int);

CREATE TABLE group_role_setting (
  space_id     int PRIMARY KEY REFERENCES space,
  default_role text NOT NULL,                 -- of who is new and in none of the groups
  version      int NOT NULL DEFAULT 1,
  updated_at   moment NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE ON group_role_setting TO imori_member;
ALTER TABLE group_role_setting ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON group_role_setting TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- How the members of a space sign in by their organization: one connection at most. `settings` is of its kind:
-- saml {"entityId", "signInUrl", "certificates": [PEM], "idpInitiated"}, oidc {"issuer", "clientId"}; {} until somebody filled it in.
CREATE TABLE sso_connection (
  space_id    int PRIMARY KEY REFERENCES space,
  id          hex_id NOT NULL UNIQUE,
  kind        text NOT NULL CHECK (kind IN ('saml', 'oidc')),
  domains     text[] NOT NULL,            -- of e-mail addresses, in ASCII
  settings    jsonb NOT NULL,
  secret      text,                       -- of the client, sealed by the keyring
  groups_name text NOT NULL,              -- of the claim or attribute with the groups
  provisions  boolean NOT NULL,           -- accounts are made at the first sign-in
  is_complete boolean NOT NULL,
  version     int NOT NULL DEFAULT 1,
  updated_at  moment NOT NULL DEFAULT now(),
  UNIQUE (space_id, id)
);
CREATE INDEX sso_connection_by_domain ON sso_connection USING gin (domains);
GRANT SELECT, INSERT, UPDATE, DELETE ON sso_connection TO imori_member;
ALTER TABLE sso_connection ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sso_connection TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- Who somebody is to a connection. It is bound to the connection and its issuer and speaks for no other.
CREATE TABLE sso_identity (
  connection_id hex_id NOT NULL,
  issuer        text NOT NULL,
  subject       text NOT NULL,
  space_id      int NOT NULL,
  account_id    hex_id NOT NULL REFERENCES account ON DELETE CASCADE,
  made_account  boolean NOT NULL,         -- the account came to be by this connection
  created_at    moment NOT NULL DEFAULT now(),
  last_used_at  moment NOT NULL DEFAULT now(),
  PRIMARY KEY (connection_id, issuer, subject),
  UNIQUE (connection_id, account_id),
  FOREIGN KEY (space_id, connection_id) REFERENCES sso_connection (space_id, id) ON DELETE CASCADE
);
CREATE INDEX sso_identity_of_account ON sso_identity (account_id);
CREATE INDEX sso_identity_of_space ON sso_identity (space_id);
GRANT SELECT ON sso_identity TO imori_member;
ALTER TABLE sso_identity ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sso_identity TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- A sign-in under way: begun by a browser, answered by the identity provider, finished by the same browser.
CREATE TABLE sso_sign_in (
  id            hex_id PRIMARY KEY,
  connection_id hex_id NOT NULL REFERENCES sso_connection (id) ON DELETE CASCADE,
  state_hash    bytea UNIQUE,             -- of what comes back with the answer; NULL: the provider began
  browser_hash  bytea,                    -- of the cookie; NULL: the provider began
  code_hash     bytea UNIQUE,             -- of what the page finishes with
  kept          text,                     -- what the answer is checked against, then what it said; sealed by the keyring
  popup         boolean NOT NULL DEFAULT false,
  target        text,                     -- the path to go to afterwards
  answered      boolean NOT NULL DEFAULT false,
  expires_at    moment NOT NULL
);
CREATE INDEX sso_sign_in_ended ON sso_sign_in (expires_at);

-- Assertions that were used, until they end by themselves.
CREATE TABLE sso_assertion (
  connection_id hex_id NOT NULL REFERENCES sso_connection (id) ON DELETE CASCADE,
  id_hash       bytea NOT NULL,
  expires_at    moment NOT NULL,
  PRIMARY KEY (connection_id, id_hash)
);
CREATE INDEX sso_assertion_ended ON sso_assertion (expires_at);

-- A session that SSO made is good for the space of the connection; for others only where its owner signed in by means of
-- their own, too. It ends with the connection.
ALTER TABLE session
  ADD COLUMN sso_space_id      int,
  ADD COLUMN sso_connection_id hex_id,
  ADD COLUMN sso_at            moment,
  ADD COLUMN own_means         boolean NOT NULL DEFAULT true,
  ADD CONSTRAINT session_sso FOREIGN KEY (sso_space_id, sso_connection_id) REFERENCES sso_connection (space_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT session_has_means CHECK (own_means OR sso_space_id IS NOT NULL),
  ADD CONSTRAINT session_sso_whole CHECK (num_nulls(sso_space_id, sso_connection_id, sso_at) IN (0, 3));
CREATE INDEX session_of_connection ON session (sso_connection_id) WHERE sso_connection_id IS NOT NULL;

-- Only by SSO, but for one admin who may come in without, if the identity provider fails.
ALTER TABLE space_security
  ADD COLUMN sso_required   boolean NOT NULL DEFAULT false,
  ADD COLUMN sso_exempt     hex_id,       -- their account
  ADD CONSTRAINT space_security_exempt FOREIGN KEY (space_id, sso_exempt) REFERENCES space_member (space_id, account_id)
    ON DELETE SET NULL (sso_exempt);
