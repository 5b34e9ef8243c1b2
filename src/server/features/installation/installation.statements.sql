-- getInstallationSettings: GET /api/admin/settings

-- updateInstallationSettings: PUT /api/admin/settings

-- listKeptMails: GET /api/admin/mails
select id, language, content, created_at
from kept_mail
where created_at > now() - make_interval(days => ?)
order by created_at desc, id desc
limit ?;

-- sendTestMail: POST /api/admin/mails/test
select id, email, name, is_admin, language, color_scheme, icon_id, email_verified_at, email_key
from account
where id = ?;

-- deleteKeptMail: DELETE /api/admin/mails/{id}
delete from kept_mail
where id = ?;
INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent, object_kind,
  object_id, object_name, details)
SELECT space_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb
FROM (SELECT ?::int AS space_id) AS spaces;
