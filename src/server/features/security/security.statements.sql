-- getSecurity: GET /api/project/{p}/security
select ip_ranges, token_ip_ranges, session_hours, second_factor, sso_required, sso_exempt, audit_days,
  addresses_visible, trial_ends_at, ip_ranges_before, version
from space_security
where space_id = ?;

-- updateSecurity: PUT /api/project/{p}/security
select id
from space
where id = ? and deleted_at is null
for no key update;
select space_member.id as "memberId", space_member.role as "projectRole", app_member.role as "appRole", (
  SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role AND
  (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights", (SELECT
  role.rights FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)))::text as "appRights", ( SELECT
  array_agg(DISTINCT held)::text FROM app_member JOIN app ON app.space_id = app_member.space_id AND app.id =
  app_member.app_id AND app.deleted_at IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role
  AND (role.space_id IS NULL OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)),
  unnest(role.rights) AS held WHERE app_member.space_id = space_member.space_id AND app_member.member_id =
  space_member.id AND held = ANY(?::text[])) as "anyAppRights", (SELECT role.models FROM role WHERE
  role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR (role.space_id =
  app_member.space_id AND role.app_id = app_member.app_id)) AND role.app_id IS NOT NULL) as "appModels"
from space_member
left join app_member on app_member.space_id = space_member.space_id and app_member.member_id = space_member.id
  and app_member.app_id = ?
where space_member.space_id = ? and space_member.id = ?;
select ip_ranges, token_ip_ranges, session_hours, second_factor, sso_required, sso_exempt, audit_days,
  addresses_visible, trial_ends_at, ip_ranges_before, version
from space_security
where space_id = ?;
insert into space_security (space_id, ip_ranges, token_ip_ranges, session_hours, second_factor, sso_required,
  sso_exempt, audit_days, addresses_visible, trial_ends_at, ip_ranges_before)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (space_id)
do update set ip_ranges = ?, token_ip_ranges = ?, session_hours = ?, second_factor = ?, sso_required = ?,
  sso_exempt = ?, audit_days = ?, addresses_visible = ?, trial_ends_at = ?, ip_ranges_before = ?, version =
  space_security.version + 1, updated_at = now()
returning ip_ranges, token_ip_ranges, session_hours, second_factor, sso_required, sso_exempt, audit_days,
  addresses_visible, trial_ends_at, ip_ranges_before, version;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- confirmRanges: POST /api/project/{p}/security/confirmRanges
select id
from space
where id = ? and deleted_at is null
for no key update;
select space_member.id as "memberId", space_member.role as "projectRole", app_member.role as "appRole", (
  SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role AND
  (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights", (SELECT
  role.rights FROM role WHERE role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)))::text as "appRights", ( SELECT
  array_agg(DISTINCT held)::text FROM app_member JOIN app ON app.space_id = app_member.space_id AND app.id =
  app_member.app_id AND app.deleted_at IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role
  AND (role.space_id IS NULL OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)),
  unnest(role.rights) AS held WHERE app_member.space_id = space_member.space_id AND app_member.member_id =
  space_member.id AND held = ANY(?::text[])) as "anyAppRights", (SELECT role.models FROM role WHERE
  role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR (role.space_id =
  app_member.space_id AND role.app_id = app_member.app_id)) AND role.app_id IS NOT NULL) as "appModels"
from space_member
left join app_member on app_member.space_id = space_member.space_id and app_member.member_id = space_member.id
  and app_member.app_id = ?
where space_member.space_id = ? and space_member.id = ?;
select ip_ranges, token_ip_ranges, session_hours, second_factor, sso_required, sso_exempt, audit_days,
  addresses_visible, trial_ends_at, ip_ranges_before, version
from space_security
where space_id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;

-- validateSecondFactor: GET /api/project/{p}/security/validate2FA
select ip_ranges, trial_ends_at, ip_ranges_before, session_hours, second_factor, sso_required, sso_exempt
from space_security
where space_id = ?;

-- validateIp: GET /api/project/{p}/security/validateIP
select ip_ranges, trial_ends_at, ip_ranges_before, session_hours, second_factor, sso_required, sso_exempt
from space_security
where space_id = ?;
