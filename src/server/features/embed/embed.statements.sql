-- getEmbeddedCode: GET /api/embed:getEmbeddedCode

-- previewEmbed: GET /api/embed:preview
