-- API tokens that may also write contents through the management API (docs/decisions/0128).
ALTER TABLE token ADD COLUMN writes boolean NOT NULL DEFAULT false;
ALTER TABLE token ADD CHECK (NOT writes OR kind = 'api');

-- An idempotency key belongs to an account or to an API token.
ALTER TABLE idempotency RENAME COLUMN account_id TO owner_id;
