-- Webhooks (docs/decisions/0117): receivers that ask to wait or are gone, and column names in the terms of the field.
ALTER TABLE webhook RENAME gathers TO batch_seconds;
ALTER TABLE webhook RENAME shows_before TO includes_before;
ALTER TABLE webhook RENAME shows_after TO includes_after;
ALTER TABLE webhook RENAME has_former_key TO has_previous_secret;
ALTER TABLE webhook RENAME told_at TO mailed_at;
ALTER TABLE webhook_message RENAME lane TO ordering_key;
ALTER TABLE webhook_message RENAME waits_since TO waiting_since;

ALTER TABLE webhook
  ADD version       int NOT NULL DEFAULT 1,  -- of its settings
  ADD failing_since moment,  -- first failed attempt since the receiver last accepted a request
  ADD held_until    moment,  -- no request before this time, because the receiver sent Retry-After
  ADD gone_at       moment;  -- when the receiver responded with 410 and the webhook was disabled
UPDATE webhook SET failing_since = coalesce(paused_since, now()) WHERE failures > 0;

-- A long body is compressed by Imori, because the compression of PostgreSQL is ten times slower.
ALTER TABLE webhook_message
  ADD body_gzip   bytea,
  ADD body_length int;  -- in characters; NULL: the body was not created yet
UPDATE webhook_message SET body_length = length(body) WHERE body IS NOT NULL;
ALTER TABLE webhook_message ALTER COLUMN body_gzip SET STORAGE EXTERNAL;
