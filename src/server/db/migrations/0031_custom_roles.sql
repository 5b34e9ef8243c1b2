-- Roles that people make: of a space, or of one app. `models` says what is different in some models of the app, by the
-- models' public ids: {"rights": [...], "readOnly": [ids of fields]}, either of them left out where it is as elsewhere.
ALTER TABLE role
  ADD COLUMN app_id      int,
  ADD COLUMN description text NOT NULL DEFAULT '',
  ADD COLUMN models      jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(models) = 'object'),
  ADD COLUMN version     int NOT NULL DEFAULT 1,
  ADD COLUMN updated_at  moment NOT NULL DEFAULT now(),
  ADD CONSTRAINT role_of_one_app CHECK ((app_id IS NOT NULL) = (target = 'app' AND space_id IS NOT NULL)),
  ADD CONSTRAINT role_app FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id);
DROP INDEX role_uid;
CREATE UNIQUE INDEX role_uid ON role (target, uid, coalesce(space_id, 0), coalesce(app_id, 0));
CREATE INDEX role_of_app ON role (space_id, app_id) WHERE app_id IS NOT NULL;

-- Built-in roles are nobody's to change: the policy of what is read lets them be seen, this one keeps writes to the space's own.
GRANT INSERT, UPDATE, DELETE ON role TO imori_member;
CREATE POLICY own ON role AS RESTRICTIVE FOR INSERT TO imori_member
  WITH CHECK (space_id = current_setting('imori.space_id')::int);
CREATE POLICY own_changes ON role AS RESTRICTIVE FOR UPDATE TO imori_member
  USING (space_id = current_setting('imori.space_id')::int)
  WITH CHECK (space_id = current_setting('imori.space_id')::int);
CREATE POLICY own_removals ON role AS RESTRICTIVE FOR DELETE TO imori_member
  USING (space_id = current_setting('imori.space_id')::int);

-- When a member last did something in the space, to ten minutes.
ALTER TABLE space_member ADD COLUMN last_seen_at moment NOT NULL DEFAULT now();
UPDATE space_member SET last_seen_at = created_at;
CREATE INDEX space_member_in_order ON space_member (space_id, created_at, id);
CREATE INDEX space_member_by_role ON space_member (space_id, role);
CREATE INDEX app_member_in_order ON app_member (space_id, app_id, created_at, member_id);
