-- All apps of a space are exported in one file, too (docs/decisions/0068): such an export is of no single app.
ALTER TABLE app_export ALTER COLUMN app_id DROP NOT NULL;
