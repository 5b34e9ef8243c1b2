-- What requests with an Idempotency-Key were answered, for a day: sent again, they have no second effect.
CREATE TABLE idempotency (
  space_id    int NOT NULL REFERENCES space,
  account_id  hex_id NOT NULL,
  key         text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,              -- sha256 of method, address, base version and body
  answer      json NOT NULL,
  created_at  moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, account_id, key)
);
CREATE INDEX ON idempotency (space_id, created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency TO imori_member;
ALTER TABLE idempotency ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON idempotency TO imori_member USING (space_id = current_setting('imori.space_id')::int);
