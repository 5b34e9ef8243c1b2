-- Forms of sites, and the submissions that visitors send (docs/decisions/0129).
CREATE TABLE form (
  space_id       int NOT NULL REFERENCES space ON DELETE CASCADE,
  id             hex_id NOT NULL,
  key            text COLLATE "C" NOT NULL CHECK (key ~ '^[A-Za-z0-9_-]{9}$'), -- the public id, part of the address
  name           text NOT NULL,
  enabled        boolean NOT NULL,
  fields         jsonb NOT NULL,           -- FormField[] (shared/forms/fields.ts)
  origins        text[] NOT NULL,          -- empty: every origin
  thanks_url     text,
  thanks_message jsonb NOT NULL,           -- {"ja": text, "en": text}
  retention_days int,                      -- NULL: submissions are not deleted by age
  version        int NOT NULL DEFAULT 1,
  created_at     moment NOT NULL DEFAULT now(),
  updated_at     moment NOT NULL DEFAULT now(),
  deleted_at     moment,                   -- in the trash since
  PRIMARY KEY (space_id, id),
  UNIQUE (space_id, key)
);

CREATE TABLE form_submission (
  space_id    int NOT NULL,
  id          hex_id NOT NULL,
  form_id     hex_id NOT NULL,
  state       text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'inProgress', 'done', 'spam')),
  "values"    json NOT NULL,               -- [{"name": text, "value": text | text[]}], in the order in which they were sent
  email       text,                        -- address in the e-mail field, in lower case
  page        text,                        -- URL of the page that sent the form
  language    text NOT NULL,
  file_count  int NOT NULL DEFAULT 0,
  received_at moment NOT NULL DEFAULT now(),
  updated_at  moment NOT NULL DEFAULT now(),
  deleted_at  moment,                      -- in the trash since
  PRIMARY KEY (space_id, id),
  FOREIGN KEY (space_id, form_id) REFERENCES form ON DELETE CASCADE
);
CREATE INDEX ON form_submission (space_id, form_id, received_at DESC, id DESC);
CREATE INDEX ON form_submission (space_id, form_id, state, received_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX ON form_submission (space_id, email) WHERE email IS NOT NULL;
CREATE INDEX ON form_submission (space_id, form_id, received_at DESC, id DESC) WHERE deleted_at IS NOT NULL;
CREATE INDEX ON form_submission (space_id, deleted_at) WHERE deleted_at IS NOT NULL;

-- Files of submissions. Their contents are in storages, in rows of asset_blob.
CREATE TABLE form_file (
  space_id      int NOT NULL,
  id            hex_id NOT NULL,
  form_id       hex_id NOT NULL,
  submission_id hex_id NOT NULL,
  field         text NOT NULL,             -- name of the value
  file_name     text NOT NULL,
  media_type    text NOT NULL,
  size          bigint NOT NULL,
  hash          bytea NOT NULL,
  storage       text NOT NULL,
  storage_key   text NOT NULL,
  created_at    moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, id),
  FOREIGN KEY (space_id, submission_id) REFERENCES form_submission ON DELETE CASCADE
);
CREATE INDEX ON form_file (space_id, submission_id);
CREATE INDEX ON form_file (space_id, form_id, created_at);
CREATE INDEX ON form_file (space_id, storage, storage_key);

-- Files of submissions count towards the storage quota (0161), but not towards the number of assets.
CREATE FUNCTION count_form_files() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  space int;
  more  bigint;
BEGIN
  FOR space, more IN SELECT space_id, sum(CASE TG_OP WHEN 'INSERT' THEN size ELSE -size END)
    FROM changed GROUP BY space_id ORDER BY space_id
  LOOP
    UPDATE public.asset_total SET bytes = bytes + more WHERE space_id = space;
    -- A space that is being purged has no totals, and they do not come back.
    IF NOT FOUND AND more > 0 THEN
      INSERT INTO public.asset_total AS total (space_id, assets, bytes) VALUES (space, 0, more)
        ON CONFLICT (space_id) DO UPDATE SET bytes = total.bytes + more;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER form_files_added AFTER INSERT ON form_file
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_form_files();
CREATE TRIGGER form_files_deleted AFTER DELETE ON form_file
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_form_files();

GRANT SELECT, INSERT, UPDATE, DELETE ON form, form_submission, form_file TO imori_member;
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['form', 'form_submission', 'form_file'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I TO imori_member, imori_worker '
      'USING (space_id = current_setting(''imori.space_id'')::int)', name);
  END LOOP;
END $$;

-- The rights on forms, for every role that has all other rights: each space needs a member with all of them.
UPDATE role SET rights = rights || '{form.read,form.manage,submission.read,submission.manage}'::text[]
WHERE target = 'project' AND NOT 'form.manage' = ANY (rights)
  AND rights @> (SELECT rights FROM role WHERE space_id IS NULL AND target = 'project' AND uid = 'pjt-Admin');
