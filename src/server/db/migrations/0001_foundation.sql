-- The ground: accounts, spaces, apps, models, documents, tokens, events.
-- Tenant tables are keyed by (space_id, …) and read by the management API under the role imori_member, whose
-- row-level security shows one space (imori.space_id). The owner (migrations, sign-in, delivery) is not subject to it.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'imori_member') THEN
    CREATE ROLE imori_member NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object THEN NULL; -- another database of this cluster made it meanwhile
END $$;
GRANT imori_member TO CURRENT_USER;

CREATE DOMAIN hex_id AS text COLLATE "C" CHECK (VALUE ~ '^[0-9a-f]{24}$');
CREATE DOMAIN moment AS timestamptz(3);

CREATE TABLE account (
  id            hex_id PRIMARY KEY,
  email         text NOT NULL,
  email_key     text NOT NULL UNIQUE,      -- lower(nfkc(email)): what must not repeat
  name          text NOT NULL DEFAULT '',
  password_hash text NOT NULL,
  is_admin      boolean NOT NULL DEFAULT false,
  language      text NOT NULL DEFAULT 'ja' CHECK (language IN ('ja', 'en')),
  color_scheme  text NOT NULL DEFAULT 'auto' CHECK (color_scheme IN ('auto', 'light', 'dark')),
  created_at    moment NOT NULL DEFAULT now()
);

CREATE TABLE session (
  id_hash      bytea PRIMARY KEY,
  account_id   hex_id NOT NULL REFERENCES account ON DELETE CASCADE,
  csrf_token   text NOT NULL,
  created_at   moment NOT NULL DEFAULT now(),
  last_seen_at moment NOT NULL DEFAULT now()
);
CREATE INDEX ON session (account_id, last_seen_at);

-- Failed attempts per key (account and network, network alone, account alone) in a window.
CREATE TABLE attempt (
  key          text PRIMARY KEY,
  window_start moment NOT NULL,
  count        int NOT NULL
);

CREATE TABLE space (
  id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid        text NOT NULL,
  name       text NOT NULL,
  plan       text NOT NULL DEFAULT 'community',
  created_at moment NOT NULL DEFAULT now(),
  updated_at moment NOT NULL DEFAULT now(),
  deleted_at moment
);
-- Host names do not tell upper from lower case, so neither do the uids of spaces.
CREATE UNIQUE INDEX space_uid ON space (lower(uid)) WHERE deleted_at IS NULL;

CREATE TABLE space_member (
  space_id   int NOT NULL REFERENCES space,
  id         hex_id NOT NULL,
  account_id hex_id NOT NULL REFERENCES account ON DELETE CASCADE,
  role       text NOT NULL CHECK (role IN ('pjt-Admin', 'pjt-Member')),
  created_at moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, id),
  UNIQUE (space_id, account_id)
);
CREATE INDEX ON space_member (account_id);

CREATE TABLE app (
  space_id     int NOT NULL REFERENCES space,
  id           int GENERATED ALWAYS AS IDENTITY UNIQUE,
  uid          text COLLATE "C" NOT NULL,
  name         text NOT NULL,
  description  text NOT NULL DEFAULT '',
  icon         jsonb,
  cover        jsonb,
  visibility   text NOT NULL DEFAULT 'open' CHECK (visibility IN ('open', 'private')),
  default_role text NOT NULL DEFAULT 'app-Editor',
  position     int NOT NULL DEFAULT 0,
  created_at   moment NOT NULL DEFAULT now(),
  updated_at   moment NOT NULL DEFAULT now(),
  deleted_at   moment,
  PRIMARY KEY (space_id, id)
);
CREATE UNIQUE INDEX app_uid ON app (space_id, uid) WHERE deleted_at IS NULL;

CREATE TABLE app_member (
  space_id   int NOT NULL,
  app_id     int NOT NULL,
  member_id  hex_id NOT NULL,
  role       text NOT NULL CHECK (role IN ('app-Admin', 'app-Editor', 'app-Author', 'app-Contributor', 'app-Subscriber')),
  created_at moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, app_id, member_id),
  FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id),
  FOREIGN KEY (space_id, member_id) REFERENCES space_member (space_id, id) ON DELETE CASCADE
);
CREATE INDEX ON app_member (space_id, member_id);

CREATE TABLE model (
  space_id    int NOT NULL,
  app_id      int NOT NULL,
  id          int GENERATED ALWAYS AS IDENTITY UNIQUE,
  public_id   hex_id NOT NULL UNIQUE,      -- the model's _id on the wire
  uid         text COLLATE "C" NOT NULL,
  name        text NOT NULL,
  description text NOT NULL DEFAULT '',
  fields      jsonb NOT NULL DEFAULT '[]',
  title_field hex_id,
  version     int NOT NULL DEFAULT 1,
  created_at  moment NOT NULL DEFAULT now(),
  updated_at  moment NOT NULL DEFAULT now(),
  deleted_at  moment,
  PRIMARY KEY (space_id, id),
  FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id)
);
CREATE UNIQUE INDEX model_uid ON model (space_id, app_id, uid) WHERE deleted_at IS NULL;

-- Counters of a model and the number that grows with every change to its documents or itself. A row of its own, so
-- that saves do not touch the model row, and HOT updates stay on their page.
CREATE TABLE model_stat (
  space_id  int NOT NULL,
  model_id  int PRIMARY KEY,
  documents bigint NOT NULL DEFAULT 0 CHECK (documents >= 0),   -- not in the trash
  published bigint NOT NULL DEFAULT 0 CHECK (published >= 0),
  version   bigint NOT NULL DEFAULT 1,
  FOREIGN KEY (space_id, model_id) REFERENCES model (space_id, id)
) WITH (fillfactor = 50);

-- Values are keyed by field _id, empty ones left out. draft NULL: the same as pub.
CREATE TABLE document (
  space_id           int NOT NULL,
  model_id           int NOT NULL,
  id                 hex_id NOT NULL,
  version            int NOT NULL DEFAULT 1,
  draft              jsonb,
  pub                jsonb,
  published_version  int,                  -- the revision that pub is
  custom_order       double precision,
  created_at         moment NOT NULL DEFAULT now(),
  updated_at         moment NOT NULL DEFAULT now(),
  first_published_at moment,
  published_at       moment,               -- NULL: not published
  deleted_at         moment,               -- in the trash since; pub is NULL then
  created_by         hex_id,
  updated_by         hex_id,
  PRIMARY KEY (model_id, id),
  FOREIGN KEY (space_id, model_id) REFERENCES model (space_id, id),
  CHECK (draft IS NOT NULL OR pub IS NOT NULL),
  CHECK ((pub IS NULL) = (published_at IS NULL)),
  CHECK ((pub IS NULL) = (published_version IS NULL)),
  CHECK (deleted_at IS NULL OR pub IS NULL)
) PARTITION BY HASH (model_id);
CREATE INDEX document_published ON document (model_id, first_published_at DESC, id) WHERE published_at IS NOT NULL;
CREATE INDEX document_created ON document (model_id, created_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX document_updated ON document (model_id, updated_at DESC, id) WHERE deleted_at IS NULL;

-- Normalised plain text (NFKC, lower case) of the text fields, by field _id, and the hashed pairs of neighbouring
-- characters in all of them: what match and search look in. stage 0: current state, 1: published.
CREATE TABLE document_text (
  space_id    int NOT NULL,
  model_id    int NOT NULL,
  document_id hex_id NOT NULL,
  stage       smallint NOT NULL CHECK (stage IN (0, 1)),
  texts       jsonb NOT NULL,
  grams       int[] NOT NULL,
  PRIMARY KEY (model_id, document_id, stage)
) PARTITION BY HASH (model_id);
CREATE INDEX document_text_grams ON document_text USING gin (grams) WITH (fastupdate = off);

DO $$
BEGIN
  FOR part IN 0..31 LOOP
    EXECUTE format('CREATE TABLE document_%s PARTITION OF document FOR VALUES WITH (MODULUS 32, REMAINDER %s)', part, part);
    EXECUTE format('CREATE TABLE document_text_%s PARTITION OF document_text FOR VALUES WITH (MODULUS 32, REMAINDER %s)', part, part);
  END LOOP;
END $$;

-- Every write, for ever: immutable.
CREATE TABLE revision (
  space_id    int NOT NULL,
  model_id    int NOT NULL,
  document_id hex_id NOT NULL,
  version     int NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('create', 'save', 'publish', 'unpublish', 'delete', 'restore')),
  source      text NOT NULL,
  blind       boolean NOT NULL DEFAULT false,  -- written without a base version
  "values"    jsonb NOT NULL,
  created_at  moment NOT NULL DEFAULT now(),
  created_by  hex_id,
  PRIMARY KEY (model_id, document_id, version),
  FOREIGN KEY (model_id, document_id) REFERENCES document (model_id, id)
);

-- Reserved values of unique fields, over drafts and published snapshots. The hash avoids btree's row limit.
CREATE TABLE document_unique (
  space_id    int NOT NULL,
  model_id    int NOT NULL,
  field_id    hex_id NOT NULL,
  value_hash  bytea NOT NULL,              -- sha256 of the NFC form
  document_id hex_id NOT NULL,
  PRIMARY KEY (model_id, field_id, value_hash),
  FOREIGN KEY (model_id, document_id) REFERENCES document (model_id, id)
);
CREATE INDEX ON document_unique (model_id, document_id);

-- Who refers to whom. Never dropped by publishing, unpublishing or deleting the target.
CREATE TABLE document_reference (
  space_id      int NOT NULL,
  from_model_id int NOT NULL,
  from_id       hex_id NOT NULL,
  stage         smallint NOT NULL CHECK (stage IN (0, 1)),
  to_model_id   int NOT NULL,
  to_id         hex_id NOT NULL,
  PRIMARY KEY (from_model_id, from_id, stage, to_model_id, to_id),
  FOREIGN KEY (from_model_id, from_id) REFERENCES document (model_id, id)
);
CREATE INDEX ON document_reference (to_model_id, to_id, stage);

CREATE TABLE token (
  space_id     int NOT NULL REFERENCES space,
  id           hex_id NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('cdn', 'api')),
  name         text NOT NULL,
  value_hash   bytea NOT NULL UNIQUE,      -- sha256 of the token
  last4        text NOT NULL,
  app_ids      int[],                      -- NULL: every app
  created_by   hex_id,
  created_at   moment NOT NULL DEFAULT now(),
  last_used_at moment,
  PRIMARY KEY (space_id, id)
);

-- The outbox: a row in the transaction of the change it tells of. type and payload: src/shared/events.ts.
CREATE TABLE event (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  space_id    int NOT NULL REFERENCES space,
  type        text NOT NULL,
  app_id      int,
  model_id    int,
  document_id hex_id,
  actor_id    hex_id,
  payload     jsonb NOT NULL,
  created_at  moment NOT NULL DEFAULT now()
);
CREATE INDEX ON event (space_id, id);

-- Rights of the management API. Column grants keep password hashes and sessions out of its reach.
GRANT SELECT (id, email, name, language) ON account TO imori_member;
GRANT SELECT, UPDATE ON space TO imori_member;
GRANT SELECT, INSERT, UPDATE, DELETE ON space_member, app, app_member, model, model_stat, document, document_text,
  document_unique, document_reference, token TO imori_member;
GRANT SELECT, INSERT ON revision, event TO imori_member;

DO $$
DECLARE name text;
BEGIN
  ALTER TABLE space ENABLE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON space TO imori_member USING (id = current_setting('imori.space_id')::int);
  FOREACH name IN ARRAY ARRAY['space_member', 'app', 'app_member', 'model', 'model_stat', 'document', 'document_text',
    'revision', 'document_unique', 'document_reference', 'token', 'event'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO imori_member USING (space_id = current_setting(''imori.space_id'')::int)', name);
  END LOOP;
END $$;
