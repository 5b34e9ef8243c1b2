-- getUsage: GET /api/project/{p}/usage
select documents, assets, bytes, day, documents_created as "documentsCreated", documents_deleted as
  "documentsDeleted", assets_created as "assetsCreated", assets_deleted as "assetsDeleted", bytes_added as
  "bytesAdded", bytes_removed as "bytesRemoved", cdn_calls as "cdnCalls", api_calls as "apiCalls"
from space
left join usage_stock on usage_stock.space_id = space.id
left join usage_day on usage_day.space_id = space.id and usage_day.day >= ?
where space.id = ?;
