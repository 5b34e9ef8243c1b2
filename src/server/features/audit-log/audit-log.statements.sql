-- listAuditLog: GET /api/project/{p}/auditLog
SELECT *
FROM (SELECT * FROM audit_entry WHERE space_id = ? ORDER BY id DESC LIMIT ?) AS found
ORDER BY id DESC
LIMIT ?;
SELECT (total - coalesce((SELECT sum(entries) FROM audit_cut WHERE space_id = ?), 0))::float8 AS sealed,
  to_xact AS "upTo"
FROM audit_seal
WHERE space_id = ?
ORDER BY number DESC
LIMIT 1;
SELECT count(*)::int AS unsealed
FROM audit_entry
WHERE space_id = ? AND xact >= ?;

-- listInstallationAuditLog: GET /api/admin/auditLog
SELECT *
FROM (SELECT * FROM audit_entry WHERE space_id = ? ORDER BY id DESC LIMIT ?) AS found
ORDER BY id DESC
LIMIT ?;
SELECT (total - coalesce((SELECT sum(entries) FROM audit_cut WHERE space_id = ?), 0))::float8 AS sealed,
  to_xact AS "upTo"
FROM audit_seal
WHERE space_id = ?
ORDER BY number DESC
LIMIT 1;
SELECT count(*)::int AS unsealed
FROM audit_entry
WHERE space_id = ? AND xact >= ?;

-- exportAuditLog: GET /api/project/{p}/auditLog/export
commit;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
begin;
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_member.id as "memberId", space_member.role as "projectRole", space_member.last_seen_at as
  "lastSeenAt", ( SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role
  AND (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights",
  space_security.ip_ranges, space_security.session_hours, space_security.second_factor,
  space_security.sso_required, space_security.sso_exempt, set_config('imori.space_id', space.id::text, true)
  || set_config('role', 'imori_member', true) as entered, ( SELECT array_agg(DISTINCT held)::text FROM
  app_member JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at
  IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)), unnest(role.rights) AS held
  WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id AND held =
  ANY(?::text[])) as "anyAppRights"
from space
inner join space_member on space_member.space_id = space.id
left join space_security on space_security.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
SELECT *
FROM (SELECT * FROM audit_entry WHERE space_id = ? ORDER BY id DESC LIMIT ?) AS found
ORDER BY id DESC
LIMIT ?;

-- verifyAuditLog: GET /api/project/{p}/auditLog/verify
commit;
begin;
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_member.id as "memberId", space_member.role as "projectRole", space_member.last_seen_at as
  "lastSeenAt", ( SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role
  AND (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights",
  space_security.ip_ranges, space_security.session_hours, space_security.second_factor,
  space_security.sso_required, space_security.sso_exempt, set_config('imori.space_id', space.id::text, true)
  || set_config('role', 'imori_member', true) as entered, ( SELECT array_agg(DISTINCT held)::text FROM
  app_member JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at
  IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)), unnest(role.rights) AS held
  WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id AND held =
  ANY(?::text[])) as "anyAppRights"
from space
inner join space_member on space_member.space_id = space.id
left join space_security on space_security.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
SELECT coalesce(sum(entries), 0)::float8 AS released, coalesce(max(number), 0) AS cut
FROM audit_cut
WHERE space_id = ?;
SELECT (total - coalesce((SELECT sum(entries) FROM audit_cut WHERE space_id = ?), 0))::float8 AS sealed,
  to_xact AS "upTo"
FROM audit_seal
WHERE space_id = ?
ORDER BY number DESC
LIMIT 1;
SELECT count(*)::int AS unsealed
FROM audit_entry
WHERE space_id = ? AND xact >= ?;
commit;
begin;
select space.id, space.uid, space.name, space.plan, space.time_zone, space.created_at, space.updated_at,
  space_member.id as "memberId", space_member.role as "projectRole", space_member.last_seen_at as
  "lastSeenAt", ( SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role
  AND (role.space_id IS NULL OR role.space_id = space_member.space_id))::text as "projectRights",
  space_security.ip_ranges, space_security.session_hours, space_security.second_factor,
  space_security.sso_required, space_security.sso_exempt, set_config('imori.space_id', space.id::text, true)
  || set_config('role', 'imori_member', true) as entered, ( SELECT array_agg(DISTINCT held)::text FROM
  app_member JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at
  IS NULL JOIN role ON role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL OR
  (role.space_id = app_member.space_id AND role.app_id = app_member.app_id)), unnest(role.rights) AS held
  WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id AND held =
  ANY(?::text[])) as "anyAppRights"
from space
inner join space_member on space_member.space_id = space.id
left join space_security on space_security.space_id = space.id
where lower(space.uid) = ? and space.deleted_at is null and space_member.account_id = ?;
WITH next AS ( SELECT * FROM (SELECT *, sum(entries) OVER (ORDER BY number) - entries AS before FROM ( SELECT
  * FROM audit_seal WHERE space_id = ? AND number > ? ORDER BY number LIMIT 500) AS behind ) AS counted WHERE
  before < ? )
SELECT next.number, next.entries, next.created_at, next.hash, previous.number AS follows, covered.found,
  sha256(coalesce(previous.hash, ''::bytea) || convert_to(next.number || ':' || next.entries || ':', 'UTF8')
  || covered.digested) AS actual
FROM next
LEFT JOIN audit_seal AS previous ON previous.space_id = next.space_id AND previous.number = next.number - 1,
  LATERAL (SELECT count(*)::int AS found, coalesce(string_agg(audit_hash(entry), ''::bytea ORDER BY
  entry.xact, entry.id), ''::bytea) AS digested FROM audit_entry AS entry WHERE entry.space_id = next.space_id
  AND entry.xact >= next.from_xact AND entry.xact < next.to_xact) AS covered
ORDER BY next.number;
