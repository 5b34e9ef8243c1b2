-- The audit log: what was done, by whom, from where. Rows are only ever added (docs/decisions/0049). Space 0 is the
-- installation itself: who signs up and in, and what its admins do. No reference to the space, which may be gone before
-- what was done in it.
CREATE SEQUENCE audit_number MAXVALUE 4095 MINVALUE 0 START 0 CYCLE CACHE 1;

CREATE TABLE audit_entry (
  space_id    int NOT NULL,
  -- Milliseconds since 2025 times 4096, and a number that tells those of a millisecond apart: the order is that of time.
  id          bigint NOT NULL DEFAULT
    ((extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1735689600000) * 4096 + nextval('audit_number'),
  -- The transaction of the act: what is sealed is what no transaction can add to any more.
  xact        bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  act         text NOT NULL,
  outcome     text NOT NULL DEFAULT 'done',       -- or the code of the refusal
  actor_kind  text NOT NULL CHECK (actor_kind IN ('account', 'token', 'job', 'nobody')),
  actor_id    text COLLATE "C",                   -- of a job: who asked for it
  actor_name  text,                               -- as it was then
  ip          text,
  agent       text,
  object_kind text NOT NULL,
  object_id   text COLLATE "C",
  object_name text,
  details     jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (space_id, id)
);
CREATE INDEX audit_entry_actor ON audit_entry (space_id, actor_id, id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_entry_object ON audit_entry (space_id, object_id, id) WHERE object_id IS NOT NULL;
CREATE INDEX audit_entry_xact ON audit_entry (xact);
ALTER TABLE audit_entry SET (autovacuum_vacuum_insert_scale_factor = 0.05);

-- What seals entries: each covers those of a space whose transactions lie in [from_xact, to_xact), and the seal before it.
CREATE TABLE audit_seal (
  space_id   int NOT NULL,
  number     int NOT NULL,
  from_xact  bigint NOT NULL,
  to_xact    bigint NOT NULL,
  entries    int NOT NULL,
  total      bigint NOT NULL,                     -- with those of all seals before it
  hash       bytea NOT NULL,
  created_at moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, number)
);

-- Up to which transaction everything is sealed: one row.
CREATE TABLE audit_sealed (
  one     boolean PRIMARY KEY DEFAULT true CHECK (one),
  to_xact bigint NOT NULL
);
INSERT INTO audit_sealed (to_xact) VALUES (pg_snapshot_xmin(pg_current_snapshot())::text::bigint);

-- What was let go because it was older than the space wants it kept: whole seals, up to and with this one. The seals stay.
CREATE TABLE audit_cut (
  space_id   int NOT NULL,
  number     int NOT NULL,
  entries    bigint NOT NULL,
  days       int NOT NULL CHECK (days >= 30),
  created_at moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, number)
);

-- Nobody changes what is written, the owner neither. Entries go when a cut names their seal, and a cut is refused for
-- seals younger than thirty days, whatever the settings say.
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit log is only added to' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE FUNCTION audit_entry_may_go() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM audit_cut JOIN audit_seal USING (space_id, number)
      WHERE audit_cut.space_id = OLD.space_id AND OLD.xact < audit_seal.to_xact) THEN
    RAISE EXCEPTION 'The audit log is only added to' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN OLD;
END $$;
CREATE FUNCTION audit_cut_is_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.created_at := now();
  IF NOT EXISTS (SELECT FROM audit_seal WHERE space_id = NEW.space_id
      AND number = NEW.number AND created_at < now() - make_interval(days => NEW.days)) THEN
    RAISE EXCEPTION 'These entries are too young to go' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION audit_seal_is_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.created_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER kept BEFORE UPDATE ON audit_entry FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER kept_until_cut BEFORE DELETE ON audit_entry FOR EACH ROW EXECUTE FUNCTION audit_entry_may_go();
CREATE TRIGGER kept_whole BEFORE TRUNCATE ON audit_entry EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER kept BEFORE UPDATE OR DELETE ON audit_seal FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER kept_whole BEFORE TRUNCATE ON audit_seal EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER timed BEFORE INSERT ON audit_seal FOR EACH ROW EXECUTE FUNCTION audit_seal_is_new();
CREATE TRIGGER kept BEFORE UPDATE OR DELETE ON audit_cut FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER kept_whole BEFORE TRUNCATE ON audit_cut EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER due BEFORE INSERT ON audit_cut FOR EACH ROW EXECUTE FUNCTION audit_cut_is_due();

-- What a seal covers of one entry: every column, in this order, told apart from each other by JSON.
CREATE FUNCTION audit_hash(entry audit_entry) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(jsonb_build_array(entry.space_id, entry.id, entry.xact, entry.act, entry.outcome,
    entry.actor_kind, entry.actor_id, entry.actor_name, entry.ip, entry.agent, entry.object_kind, entry.object_id,
    entry.object_name, entry.details)::text, 'UTF8'))
$$;

GRANT SELECT, INSERT ON audit_entry TO imori_member;
GRANT SELECT ON audit_seal, audit_cut TO imori_member;
GRANT USAGE ON SEQUENCE audit_number TO imori_member;
ALTER TABLE audit_entry ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_seal ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_cut ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_entry TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON audit_seal TO imori_member USING (space_id = current_setting('imori.space_id')::int);
CREATE POLICY tenant ON audit_cut TO imori_member USING (space_id = current_setting('imori.space_id')::int);

UPDATE role SET rights = rights || '{audit.read,security.manage}'::text[]
  WHERE space_id IS NULL AND target = 'project' AND uid = 'pjt-Admin';
