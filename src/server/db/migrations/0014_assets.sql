-- The media library: files, what is said of them, where their bytes lie, and who uses them.

CREATE TABLE asset (
  space_id    int NOT NULL REFERENCES space,
  id          hex_id NOT NULL,             -- the wire's _id, and the asset's uid in addresses
  file_name   text NOT NULL,
  media_type  text NOT NULL,               -- found in the content
  size        bigint NOT NULL,
  storage     text NOT NULL DEFAULT 'local', -- 'local', or the id of an external storage
  storage_key text NOT NULL,               -- of asset_blob
  hash        bytea NOT NULL,              -- sha256 of the content
  width       int,
  height      int,
  placeholder text,                        -- thumbhash, base64
  metadata    jsonb NOT NULL DEFAULT '{}',
  title       text NOT NULL DEFAULT '',
  description text NOT NULL DEFAULT '',
  alt_text    text NOT NULL DEFAULT '',
  focal_x     real,
  focal_y     real,
  is_private  boolean NOT NULL DEFAULT false,
  version     int NOT NULL DEFAULT 1,
  created_at  moment NOT NULL DEFAULT now(),
  created_by  hex_id,
  updated_at  moment NOT NULL DEFAULT now(),
  updated_by  hex_id,
  deleted_at  moment,                      -- in the trash since
  search_text text NOT NULL DEFAULT '',    -- as content/text.ts normalises; held to the texts by the writer
  grams       int[] NOT NULL DEFAULT '{}',
  -- The file before the last replacement or edit, for 30 days. `previous` says of it what the columns above say of the
  -- present one: mediaType, size, hash (hex), width, height, placeholder, metadata, focalPoint.
  previous_storage     text,
  previous_storage_key text,
  previous             jsonb,
  previous_at          moment,
  PRIMARY KEY (space_id, id),
  CHECK ((focal_x IS NULL) = (focal_y IS NULL)),
  CHECK ((previous IS NULL) = (previous_at IS NULL)),
  CHECK ((previous IS NULL) = (previous_storage IS NULL)),
  CHECK ((previous IS NULL) = (previous_storage_key IS NULL))
);
-- What the filters of the library ask of is in the index of its usual order, so that counting reads nothing else.
CREATE INDEX asset_created ON asset (space_id, created_at DESC, id DESC)
  INCLUDE (media_type, created_by, updated_by) WHERE deleted_at IS NULL;
-- What is searched, too, so that a common word is counted there; long texts, which no index takes, are few.
CREATE INDEX asset_searched ON asset (space_id) INCLUDE (search_text, media_type, created_by, updated_by)
  WHERE deleted_at IS NULL AND length(search_text) <= 500;
CREATE INDEX asset_long_text ON asset (space_id) WHERE deleted_at IS NULL AND length(search_text) > 500;
CREATE INDEX asset_updated ON asset (space_id, updated_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX asset_file_name ON asset (space_id, file_name, id) WHERE deleted_at IS NULL;
CREATE INDEX asset_size ON asset (space_id, size, id) WHERE deleted_at IS NULL;
CREATE INDEX asset_hash ON asset (space_id, hash, id) WHERE deleted_at IS NULL;
CREATE INDEX asset_without_alt ON asset (space_id, created_at DESC, id DESC)
  WHERE deleted_at IS NULL AND alt_text = '' AND media_type >= 'image/' AND media_type < 'image0';
CREATE INDEX asset_grams ON asset USING gin (grams) WITH (fastupdate = off) WHERE deleted_at IS NULL;
CREATE INDEX asset_trash ON asset (space_id, deleted_at DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX asset_key ON asset (space_id, storage_key);
CREATE INDEX asset_previous_key ON asset (space_id, previous_storage_key) WHERE previous_storage_key IS NOT NULL;
CREATE INDEX asset_previous_at ON asset (previous_at) WHERE previous_at IS NOT NULL;

-- Contents in a storage, one row for each key, written before the bytes are: what no asset refers to a day after it was
-- last asked for is swept. `doomed_at`: being deleted, no longer to be relied on.
CREATE TABLE asset_blob (
  space_id   int NOT NULL REFERENCES space,
  storage    text NOT NULL,
  key        text NOT NULL,
  hash       bytea NOT NULL,
  touched_at moment NOT NULL DEFAULT now(),
  doomed_at  moment,
  PRIMARY KEY (space_id, storage, key)
);
CREATE UNIQUE INDEX asset_blob_hash ON asset_blob (space_id, storage, hash) WHERE doomed_at IS NULL;
CREATE INDEX asset_blob_touched ON asset_blob (touched_at);

CREATE TABLE tag (
  space_id   int NOT NULL REFERENCES space,
  id         hex_id NOT NULL,
  name       text NOT NULL,
  name_key   text NOT NULL,                -- the name without regard to case, width and kana
  created_at moment NOT NULL DEFAULT now(),
  created_by hex_id,
  PRIMARY KEY (space_id, id),
  CONSTRAINT tag_name UNIQUE (space_id, name_key)
);

CREATE TABLE asset_tag (
  space_id int NOT NULL,
  asset_id hex_id NOT NULL,
  tag_id   hex_id NOT NULL,
  PRIMARY KEY (space_id, asset_id, tag_id),
  FOREIGN KEY (space_id, asset_id) REFERENCES asset ON DELETE CASCADE,
  FOREIGN KEY (space_id, tag_id) REFERENCES tag ON DELETE CASCADE
);
CREATE INDEX asset_tag_tag ON asset_tag (space_id, tag_id, asset_id);

-- Saved filters of the library.
CREATE TABLE asset_folder (
  space_id   int NOT NULL REFERENCES space,
  id         hex_id NOT NULL,
  name       text NOT NULL,
  filter     jsonb NOT NULL,
  created_at moment NOT NULL DEFAULT now(),
  created_by hex_id,
  PRIMARY KEY (space_id, id)
);

-- Which documents use an asset. stage 0: current state, 1: published. Kept while the asset is in the trash or gone.
CREATE TABLE asset_reference (
  space_id    int NOT NULL,
  model_id    int NOT NULL,
  document_id hex_id NOT NULL,
  stage       smallint NOT NULL CHECK (stage IN (0, 1)),
  asset_id    hex_id NOT NULL,
  PRIMARY KEY (model_id, document_id, stage, asset_id),
  FOREIGN KEY (model_id, document_id) REFERENCES document (model_id, id)
);
CREATE INDEX asset_reference_asset ON asset_reference (space_id, asset_id);

-- Assets of the present space that hold all these grams, at most so many: row-level security would keep PostgreSQL from
-- using the index, because no operator on arrays is leak-proof.
CREATE FUNCTION asset_candidates(wanted int[], maximum int) RETURNS SETOF text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT id::text FROM public.asset WHERE grams @> wanted AND deleted_at IS NULL
    AND space_id = current_setting('imori.space_id')::int LIMIT maximum
$$;
REVOKE ALL ON FUNCTION asset_candidates FROM PUBLIC;
GRANT EXECUTE ON FUNCTION asset_candidates TO imori_member;

GRANT SELECT, INSERT, UPDATE, DELETE ON asset, tag, asset_tag, asset_folder, asset_reference TO imori_member;
GRANT SELECT, INSERT, UPDATE ON asset_blob TO imori_member;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['asset', 'asset_blob', 'tag', 'asset_tag', 'asset_folder', 'asset_reference'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO imori_member USING (space_id = current_setting(''imori.space_id'')::int)', name);
  END LOOP;
END $$;

UPDATE role SET rights = rights || '{asset.read,asset.write.own}' WHERE target = 'project' AND uid = 'pjt-Member';
UPDATE role SET rights = rights[1:array_position(rights, 'token.manage')]
    || '{asset.read,asset.write.own,asset.write.any,tag.manage,storage.manage}'::text[]
    || rights[array_position(rights, 'token.manage') + 1:]
  WHERE target = 'project' AND uid = 'pjt-Admin';
-- Of spaces' own roles: whoever is a member may look.
UPDATE role SET rights = rights || '{asset.read}' WHERE target = 'project' AND space_id IS NOT NULL;
