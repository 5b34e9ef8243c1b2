-- listSiteRequests: GET /api/project/{p}/app/{a}/siteRequest
select model.uid as model, kind as api, site, agent, first_at as "firstAt", last_at as "lastAt"
from site_request
inner join model on model.space_id = site_request.space_id and model.id = site_request.model_id
where site_request.space_id = ? and model.app_id = ? and model.deleted_at is null and last_at > now() -
  interval '30 days'
order by last_at desc, model.uid
limit ?;
