-- Several times: select access_request by app_id, member_id
select access_request.member_id as id, account.name, account.email, access_request.message,
  access_request.created_at as "createdAt"
from access_request
inner join space_member on space_member.space_id = access_request.space_id and space_member.id =
  access_request.member_id
inner join account on account.id = space_member.account_id
where access_request.space_id = ? and access_request.app_id = ? and access_request.declined_at is null and
  access_request.member_id = ?;

-- askForAccess: POST /api/project/{p}/accessRequest
INSERT INTO access_request (space_id, app_id, member_id, message)
SELECT space_id, id, ?, ?
FROM app
WHERE space_id = ? AND uid = ? AND deleted_at IS NULL AND visibility = 'private' AND NOT ?::boolean AND NOT
  EXISTS (SELECT FROM app_member WHERE app_member.space_id = app.space_id AND app_member.app_id = app.id AND
  app_member.member_id = ?)
ON CONFLICT (space_id, app_id, member_id)
DO UPDATE SET message = excluded.message, created_at = now(), declined_at = NULL
WHERE access_request.declined_at < now() - make_interval(days => ?)
RETURNING app_id AS "appId", (SELECT name FROM app WHERE space_id = ? AND id = app_id) AS name;
-- audit: app.askForAccess

-- listAccessRequests: GET /api/project/{p}/app/{a}/accessRequest
select access_request.member_id as id, account.name, account.email, access_request.message,
  access_request.created_at as "createdAt"
from access_request
inner join space_member on space_member.space_id = access_request.space_id and space_member.id =
  access_request.member_id
inner join account on account.id = space_member.account_id
where access_request.space_id = ? and access_request.app_id = ? and access_request.declined_at is null
order by access_request.created_at, access_request.member_id
limit ?;

-- acceptAccessRequest: POST /api/project/{p}/app/{a}/accessRequest/{id}/accept
-- locks space
-- rights of member
-- select access_request by app_id, member_id
-- role
-- rights of member
delete from access_request
where space_id = ? and app_id = ? and member_id = ?;
-- member of app
-- member of app
-- audit: member.addToApp

-- declineAccessRequest: POST /api/project/{p}/app/{a}/accessRequest/{id}/decline
-- select access_request by app_id, member_id
update access_request
set declined_at = now()
where space_id = ? and app_id = ? and member_id = ?;
-- event: accessRequest.declined
-- audit: app.declineAccess
