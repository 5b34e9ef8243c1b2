-- Several times: select audit_entry
SELECT *
FROM (SELECT * FROM audit_entry WHERE space_id = ? ORDER BY id DESC LIMIT ?) AS found
ORDER BY id DESC
LIMIT ?;

-- Several times: select audit_seal
SELECT (total - coalesce((SELECT sum(entries) FROM audit_cut WHERE space_id = ?), 0))::float8 AS sealed,
  to_xact AS "upTo"
FROM audit_seal
WHERE space_id = ?
ORDER BY number DESC
LIMIT 1;

-- Several times: select audit_entry (2)
SELECT count(*)::int AS unsealed
FROM audit_entry
WHERE space_id = ? AND xact >= ?;

-- listAuditLog: GET /api/project/{p}/auditLog
-- select audit_entry
-- select audit_seal
-- select audit_entry (2)

-- listInstallationAuditLog: GET /api/admin/auditLog
-- select audit_entry
SELECT id, email
FROM account
WHERE id = ANY(?::text[])
UNION ALL
SELECT space_member.id, account.email
FROM space_member
JOIN account ON account.id = space_member.account_id
WHERE space_member.space_id = ? AND space_member.id = ANY(?::text[]);
-- select audit_seal
-- select audit_entry (2)

-- exportAuditLog: GET /api/project/{p}/auditLog/export
commit;
-- audit: auditLog.export
begin;
-- enters space
-- select audit_entry

-- verifyAuditLog: GET /api/project/{p}/auditLog/verify
commit;
begin;
-- enters space
SELECT coalesce(sum(entries), 0)::float8 AS purged, coalesce(max(number), 0) AS cut
FROM audit_cut
WHERE space_id = ?;
-- select audit_seal
-- select audit_entry (2)
commit;
begin;
-- enters space
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
