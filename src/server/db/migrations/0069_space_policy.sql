-- What a space's rows say of who may do what has a version: another one after each change, in the transaction of the change. What a
-- process has worked out from these rows holds for as long as the version stays (docs/decisions/0070). By chance rather than
-- counted: a copy of the database that is put back never gives a version that was there before to other rows.
CREATE TABLE space_policy (
  space_id int PRIMARY KEY REFERENCES space ON DELETE CASCADE,
  version  uuid NOT NULL DEFAULT gen_random_uuid()
) WITH (fillfactor = 50);
GRANT SELECT ON space_policy TO imori_member;
ALTER TABLE space_policy ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON space_policy TO imori_member USING (space_id = current_setting('imori.space_id')::int);

CREATE FUNCTION begin_space_policy() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.space_policy (space_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION begin_space_policy FROM PUBLIC;
CREATE TRIGGER space_policy AFTER INSERT ON space FOR EACH ROW EXECUTE FUNCTION begin_space_policy();
INSERT INTO space_policy (space_id) SELECT id FROM space;

-- Written when a transaction ends, so that it is the last row that it locks, and once however many rows changed.
CREATE FUNCTION change_space_policy() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changed int;
BEGIN
  IF TG_TABLE_NAME = 'space' THEN
    changed := NEW.id;
  ELSE
    changed := coalesce(NEW.space_id, OLD.space_id);
  END IF;
  IF changed IS NULL THEN
    -- A built-in role is one of all spaces.
    UPDATE public.space_policy SET version = gen_random_uuid() WHERE xmin <> pg_current_xact_id()::xid;
  ELSE
    UPDATE public.space_policy SET version = gen_random_uuid()
      WHERE space_id = changed AND xmin <> pg_current_xact_id()::xid;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION change_space_policy FROM PUBLIC;

-- Whatever the statement reads that lets somebody into a space (server/access/membership.ts).
CREATE CONSTRAINT TRIGGER space_policy_change AFTER UPDATE ON space
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION change_space_policy();
CREATE CONSTRAINT TRIGGER space_policy_change AFTER INSERT OR UPDATE OR DELETE ON space_security
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_policy();
CREATE CONSTRAINT TRIGGER space_policy_change AFTER INSERT OR UPDATE OR DELETE ON role
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_policy();
CREATE CONSTRAINT TRIGGER space_policy_change AFTER INSERT OR UPDATE OR DELETE ON app
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_policy();
CREATE CONSTRAINT TRIGGER space_policy_change AFTER INSERT OR UPDATE OR DELETE ON app_member
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_policy();
CREATE CONSTRAINT TRIGGER space_policy_entry AFTER INSERT OR DELETE ON space_member
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION change_space_policy();
-- That somebody was here changes nothing that they may do.
CREATE CONSTRAINT TRIGGER space_policy_change AFTER UPDATE ON space_member
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (to_jsonb(OLD.*) - 'last_seen_at' IS DISTINCT FROM to_jsonb(NEW.*) - 'last_seen_at')
  EXECUTE FUNCTION change_space_policy();
