-- Several times: select space_security
select ip_ranges, token_ip_ranges, session_hours, second_factor, sso_required, sso_exempt, audit_days,
  addresses_visible, ip_ranges_pending_until, ip_ranges_before, token_ip_ranges_pending_until,
  token_ip_ranges_before, version
from space_security
where space_id = ?;

-- getSecurity: GET /api/project/{p}/security
-- select space_security

-- updateSecurity: PUT /api/project/{p}/security
-- locks space
-- rights of member
-- select space_security
insert into space_security (space_id, ip_ranges, token_ip_ranges, session_hours, second_factor, sso_required,
  sso_exempt, audit_days, addresses_visible, ip_ranges_pending_until, ip_ranges_before,
  token_ip_ranges_pending_until, token_ip_ranges_before)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (space_id)
do update set ip_ranges = ?, token_ip_ranges = ?, session_hours = ?, second_factor = ?, sso_required = ?,
  sso_exempt = ?, audit_days = ?, addresses_visible = ?, ip_ranges_pending_until = ?, ip_ranges_before = ?,
  token_ip_ranges_pending_until = ?, token_ip_ranges_before = ?, version = space_security.version + 1,
  updated_at = now()
returning ip_ranges, token_ip_ranges, session_hours, second_factor, sso_required, sso_exempt, audit_days,
  addresses_visible, ip_ranges_pending_until, ip_ranges_before, token_ip_ranges_pending_until,
  token_ip_ranges_before, version;
-- audit: security.update

-- confirmRanges: POST /api/project/{p}/security/confirmRanges
-- locks space
-- rights of member
-- select space_security
-- audit: security.confirmRanges

-- confirmTokenRanges: POST /api/project/{p}/security/confirmTokenRanges
-- locks space
-- rights of member
-- select space_security
-- audit: security.confirmTokenRanges

-- validateSecondFactor: GET /api/project/{p}/security/validate2FA
select ip_ranges, ip_ranges_pending_until, ip_ranges_before, session_hours, second_factor, sso_required,
  sso_exempt
from space_security
where space_id = ?;

-- validateIp: GET /api/project/{p}/security/validateIP
select ip_ranges, ip_ranges_pending_until, ip_ranges_before, session_hours, second_factor, sso_required,
  sso_exempt
from space_security
where space_id = ?;
