-- listAllSpaces: GET /api/admin/spaces
select page.uid, page.name, page.created_at as "createdAt", (SELECT count(*) FROM space_member WHERE
  space_member.space_id = page.id) as "memberCount", ( SELECT coalesce(jsonb_agg(jsonb_build_object('name',
  admin.name, 'email', admin.email) ORDER BY admin.created_at, admin.id), '[]') FROM (SELECT account.name,
  account.email, space_member.created_at, space_member.id FROM space_member JOIN account ON account.id =
  space_member.account_id WHERE space_member.space_id = page.id AND ( SELECT role.rights FROM role WHERE
  role.target = 'project' AND role.uid = space_member.role AND (role.space_id IS NULL OR role.space_id =
  space_member.space_id)) @> ?::text[] AND NOT EXISTS (SELECT FROM account WHERE account.id =
  space_member.account_id AND provisioned_by IS NOT NULL) ORDER BY space_member.created_at, space_member.id
  LIMIT ?) AS admin) as admins, (SELECT count(*) FROM space_member WHERE space_member.space_id = page.id AND (
  SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role AND
  (role.space_id IS NULL OR role.space_id = space_member.space_id)) @> ?::text[] AND NOT EXISTS (SELECT FROM
  account WHERE account.id = space_member.account_id AND provisioned_by IS NOT NULL)) as "adminCount", (SELECT
  count(*) FROM app WHERE app.space_id = page.id AND app.deleted_at IS NULL) as "appCount", (SELECT
  coalesce(sum(documents), 0)::bigint FROM app JOIN model ON model.space_id = app.space_id AND model.app_id =
  app.id AND model.deleted_at IS NULL JOIN model_stat ON model_stat.model_id = model.id WHERE app.space_id =
  page.id AND app.deleted_at IS NULL) as "documentCount", ((SELECT coalesce(sum(size), 0) FROM asset WHERE
  asset.space_id = page.id AND asset.deleted_at IS NULL) + (SELECT coalesce(sum(size), 0) FROM asset WHERE
  asset.space_id = page.id AND asset.deleted_at IS NOT NULL))::bigint as "fileBytes"
from (select * from space where deleted_at is null order by created_at DESC, id DESC limit ? offset ?) as page
order by created_at DESC, id DESC;
select count(*) as total
from space
where deleted_at is null;

-- listAllAccounts: GET /api/admin/accounts
select page.id as _id, page.email, page.name, page.is_admin as "isAdmin", page.created_at as "createdAt",
  page.email_verified_at IS NOT NULL as "emailVerified", page.provisioned_by IS NOT NULL as provisioned,
  has_second_factor(page.id) as "hasSecondFactor", (SELECT count(*) FROM space_member JOIN space ON space.id =
  space_member.space_id WHERE space_member.account_id = page.id AND space.deleted_at IS NULL) as "spaceCount",
  CASE WHEN page.provisioned_by IS NULL THEN greatest( (SELECT max(last_seen_at) FROM session WHERE
  session.account_id = page.id), (SELECT max(last_seen_at) FROM space_member WHERE space_member.account_id =
  page.id)) END as "lastSeenAt"
from (select * from account where (provisioned_by IS NULL OR provisioned_by IN (SELECT id FROM space WHERE
  deleted_at IS NULL)) order by created_at DESC, id DESC limit ? offset ?) as page
order by created_at DESC, id DESC;
select count(*) as total
from account
where (provisioned_by IS NULL OR provisioned_by IN (SELECT id FROM space WHERE deleted_at IS NULL));

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
