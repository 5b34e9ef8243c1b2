-- getInstallationSettings: GET /api/admin/settings
select signup_confirmation
from installation_setting;
select space_creation
from installation_setting;

-- updateInstallationSettings: PUT /api/admin/settings

-- listKeptMails: GET /api/admin/mails
select id, language, content, created_at
from kept_mail
where created_at > now() - make_interval(days => ?)
order by created_at desc, id desc
limit ?;

-- sendTestMail: POST /api/admin/mails/test
-- account

-- deleteKeptMail: DELETE /api/admin/mails/{id}
delete from kept_mail
where id = ?;
-- audit: account.deleteMail
