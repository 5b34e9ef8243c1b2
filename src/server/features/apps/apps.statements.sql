-- Several times: select app
select app.*, app_member.role as app_role
from app
left join app_member on app_member.space_id = app.space_id and app_member.app_id = app.id and
  app_member.member_id = ?
where app.space_id = ? and app.deleted_at is null and (app.visibility = 'open' OR ((? OR EXISTS (SELECT FROM
  app_member AS own WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ?))))
order by app.position, app.id;

-- listApps: GET /api/project/{p}/app
-- select app

-- createApp: POST /api/project/{p}/app
insert into app (space_id, uid, name, description, icon, position)
values (?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM app WHERE space_id = ?))
returning *;
-- event: app.created
SELECT pg_notify(?, ?)::text;
-- joins app
-- event: member.joinedApp
-- rights of member
-- audit: app.create

-- updateAppOrder: POST /api/project/{p}/app:updateOrder
-- locks space
-- rights of member
-- select app
UPDATE app
SET position = wanted.position
FROM unnest(?::int[]) WITH ORDINALITY AS wanted (id, position)
WHERE app.space_id = ? AND app.id = wanted.id;
-- event: space.updated
SELECT pg_notify(?, ?)::text;
-- audit: app.reorder

-- getApp: GET /api/project/{p}/app/{a}

-- updateApp: PUT /api/project/{p}/app/{a}
update app
set name = ?, updated_at = now()
where space_id = ? and id = ? and deleted_at is null
returning *;
-- event: app.updated
SELECT pg_notify(?, ?)::text;
-- audit: app.update

-- uploadAppIcon: POST /api/project/{p}/app/{a}/icon
commit;
begin;
-- enters space
update app
set icon = ?, updated_at = now()
where space_id = ? and id = ? and deleted_at is null
returning *;
insert into app_picture (space_id, app_id, kind, id, media_type, bytes)
values (?, ?, ?, ?, ?, ?)
on conflict (space_id, app_id, kind)
do update set id = ?, media_type = ?, bytes = ?;
-- event: app.updated
SELECT pg_notify(?, ?)::text;
-- audit: app.picture

-- uploadAppCover: POST /api/project/{p}/app/{a}/cover
commit;
begin;
-- enters space
update app
set cover = ?, updated_at = now()
where space_id = ? and id = ? and deleted_at is null
returning *;
insert into app_picture (space_id, app_id, kind, id, media_type, bytes)
values (?, ?, ?, ?, ?, ?)
on conflict (space_id, app_id, kind)
do update set id = ?, media_type = ?, bytes = ?;
-- event: app.updated
SELECT pg_notify(?, ?)::text;
-- audit: app.picture

-- updateAppAccess: PATCH /api/project/{p}/app/{a}
-- locks space
-- rights of member
-- role
-- rights of member
update app
set visibility = ?, default_role = ?, updated_at = now()
where space_id = ? and id = ? and deleted_at is null
returning *;
-- event: app.updated
SELECT pg_notify(?, ?)::text;
-- audit: app.access

-- emptyAppCache: DELETE /api/project/{p}/app/{a}/cache
update app
set uid = uid
where space_id = ? and id = ?;
-- audit: app.emptyCache

-- deleteApp: DELETE /api/project/{p}/app/{a}
update app
set deleted_at = now()
where space_id = ? and id = ? and deleted_at is null
returning id;
-- event: app.deleted
SELECT pg_notify(?, ?)::text;
-- audit: app.delete
