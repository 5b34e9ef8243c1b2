-- When the published values were last changed: what readers of the published state see as updated_at, whatever happens
-- to drafts afterwards. For documents published before, the closest that is known.
ALTER TABLE document ADD COLUMN published_updated_at moment;
UPDATE document SET published_updated_at = least(updated_at, published_at) WHERE published_at IS NOT NULL;
ALTER TABLE document ADD CHECK ((pub IS NULL) = (published_updated_at IS NULL));
