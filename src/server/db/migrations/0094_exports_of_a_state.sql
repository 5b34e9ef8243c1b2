-- The newest event of the space when an export was asked for: whether the app has changed since is told by events behind it.

ALTER TABLE app_export ADD event_id bigint NOT NULL DEFAULT 0;
