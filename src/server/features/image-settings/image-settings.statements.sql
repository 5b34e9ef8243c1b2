-- getImageSettings: GET /api/project/{p}/imageSettings
select settings, key_generation
from image_settings
where space_id = ?;

-- updateImageSettings: PUT /api/project/{p}/imageSettings
select settings, key_generation
from image_settings
where space_id = ?;
insert into image_settings (space_id, settings, key_generation)
values (?, ?, ?)
on conflict (space_id)
do update set settings = excluded.settings, key_generation = image_settings.key_generation + ?, updated_at = ?
returning key_generation;
-- audit: imageSettings.update
