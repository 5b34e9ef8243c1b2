-- Roles are rows: the built-in ones of every space (space_id NULL; held to src/shared/permissions.ts by a test) and those
-- of a space. Members and apps name theirs by uid; a role of a space never bears the name of a built-in one.
CREATE TABLE role (
  space_id   int REFERENCES space,
  target     text NOT NULL CHECK (target IN ('project', 'app')),
  uid        text NOT NULL CHECK (space_id IS NULL OR uid !~ '^(pjt|app)-'),
  name       text NOT NULL DEFAULT '',
  rights     text[] NOT NULL,
  position   int NOT NULL DEFAULT 0,
  created_at moment NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX role_uid ON role (target, uid, coalesce(space_id, 0));

INSERT INTO role (target, position, uid, rights) VALUES
  ('project', 1, 'pjt-Admin', '{space.view,space.update,space.delete,app.create,app.order,member.manage,role.manage,token.manage,document.read,document.write.own,document.publish.own,document.write.any,model.manage,app.manage}'),
  ('project', 2, 'pjt-Member', '{space.view}'),
  ('app', 1, 'app-Admin', '{document.read,document.write.own,document.publish.own,document.write.any,model.manage,app.manage}'),
  ('app', 2, 'app-Editor', '{document.read,document.write.own,document.publish.own,document.write.any}'),
  ('app', 3, 'app-Author', '{document.read,document.write.own,document.publish.own}'),
  ('app', 4, 'app-Contributor', '{document.read,document.write.own}'),
  ('app', 5, 'app-Subscriber', '{document.read}');

ALTER TABLE space_member DROP CONSTRAINT space_member_role_check;
ALTER TABLE app_member DROP CONSTRAINT app_member_role_check;

GRANT SELECT ON role TO imori_member;
ALTER TABLE role ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON role TO imori_member
  USING (space_id IS NULL OR space_id = current_setting('imori.space_id')::int);
