-- Webhooks (docs/decisions/0117): what is sent where, the messages that wait or were sent, and each attempt.
CREATE TABLE webhook (
  space_id       int NOT NULL REFERENCES space ON DELETE CASCADE,
  id             hex_id NOT NULL,
  name           text NOT NULL,
  url            text NOT NULL,
  method         text NOT NULL,
  enabled        boolean NOT NULL,
  events         text[] NOT NULL,
  targets        jsonb,                    -- NULL: every app; else [{"appId": int, "modelIds": [int] | null}]
  headers        jsonb NOT NULL,           -- [{"name": text, "value": text | null}]; null: a secret
  sealed         text NOT NULL,            -- signing keys and secret headers, encrypted
  has_former_key boolean NOT NULL DEFAULT false,
  body           text,                     -- NULL: the default body
  shows_before   boolean NOT NULL,
  shows_after    boolean NOT NULL,
  gathers        int NOT NULL,             -- seconds in which events are gathered into one request
  failures       int NOT NULL DEFAULT 0,   -- attempts in a row that failed
  paused_since   moment,
  paused_until   moment,
  told_at        moment,                   -- when its maker was told that it is paused
  position       bigint NOT NULL DEFAULT 0, -- of the last outbox event that was taken in; redelivered ones are skipped
  created_by     hex_id,
  created_at     moment NOT NULL DEFAULT now(),
  updated_at     moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, id),
  CHECK ((paused_since IS NULL) = (paused_until IS NULL))
);

-- One request, tried until it is answered. `body` is written before the first attempt and never changes.
CREATE TABLE webhook_message (
  space_id    int NOT NULL,
  id          hex_id NOT NULL,
  webhook_id  hex_id NOT NULL,
  sequence    bigint GENERATED ALWAYS AS IDENTITY,
  event       text NOT NULL,
  events      jsonb NOT NULL,              -- what it tells of: [{"position", "event", "documentId", "version", "at", …}]
  lane        text NOT NULL,               -- messages of a lane are sent in order: a document's, a file's; '': gathered, in order with all
  app_id      int,
  model_id    int,
  document_id hex_id,                      -- NULL: gathered, or of no document
  body        text,
  state       text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
  attempts    int NOT NULL DEFAULT 0,      -- in all
  tries       int NOT NULL DEFAULT 0,      -- since it was made, or replayed
  waits_since moment NOT NULL DEFAULT now(),
  next_at     moment,
  status      int,
  reason      text,
  took        int,
  created_at  moment NOT NULL DEFAULT now(),
  ended_at    moment,
  PRIMARY KEY (space_id, id),
  FOREIGN KEY (space_id, webhook_id) REFERENCES webhook ON DELETE CASCADE,
  CHECK ((state = 'waiting') = (next_at IS NOT NULL))
);
CREATE INDEX ON webhook_message (webhook_id, sequence) WHERE state = 'waiting';
CREATE INDEX ON webhook_message (webhook_id, lane, sequence) WHERE state = 'waiting';
CREATE INDEX ON webhook_message (space_id, webhook_id, sequence DESC);

CREATE TABLE webhook_attempt (
  space_id   int NOT NULL,
  message_id hex_id NOT NULL,
  number     int NOT NULL,
  at         moment NOT NULL,
  took       int NOT NULL,
  status     int,
  reason     text,
  detail     text NOT NULL DEFAULT '',
  headers    jsonb NOT NULL,
  answer     text,
  PRIMARY KEY (space_id, message_id, number),
  FOREIGN KEY (space_id, message_id) REFERENCES webhook_message ON DELETE CASCADE
);

GRANT SELECT, INSERT, UPDATE, DELETE ON webhook, webhook_message, webhook_attempt TO imori_member;
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['webhook', 'webhook_message', 'webhook_attempt'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO imori_member USING (space_id = current_setting(''imori.space_id'')::int)', name);
  END LOOP;
END $$;

-- The right to manage webhooks, for every role that has all other rights: a space needs somebody with all of them.
UPDATE role SET rights = rights || '{webhook.manage}'::text[]
WHERE target = 'project' AND NOT 'webhook.manage' = ANY (rights)
  AND rights @> (SELECT rights FROM role WHERE space_id IS NULL AND target = 'project' AND uid = 'pjt-Admin');
