-- The library is narrowed to what somebody uploaded, or changed last.
CREATE INDEX asset_created_by ON asset (space_id, created_by, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX asset_updated_by ON asset (space_id, updated_by, updated_at DESC, id DESC) WHERE deleted_at IS NULL;
