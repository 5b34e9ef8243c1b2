-- Updates of apps that moved in say which models and fields are new there (docs/decisions/0074). Those from before have none.
UPDATE move SET changes = changes || '{"additions": {"models": [], "parts": [], "customTypes": []}}' WHERE changes IS NOT NULL;
