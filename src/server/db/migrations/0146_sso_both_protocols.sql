-- A connection keeps the settings of both protocols, by their names; `kind` is the one that people sign in with. The name of
-- the claim or attribute with the groups belongs to the protocol, because identity providers name it differently in each.
UPDATE sso_connection
  SET settings = jsonb_build_object(kind, settings || jsonb_build_object('groupsName', groups_name));
ALTER TABLE sso_connection DROP COLUMN groups_name;
