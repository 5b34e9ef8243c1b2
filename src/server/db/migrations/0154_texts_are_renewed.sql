-- Texts of stored documents are made anew (features/models/models.renew-texts.ts), because list items and table cells of HTML are
-- on lines of their own now. A new installation has neither documents nor a queue yet.
DO $$
BEGIN
  IF to_regnamespace('graphile_worker') IS NOT NULL AND EXISTS (SELECT FROM model) THEN
    INSERT INTO job (id, name, payload, priority, max_attempts, is_long)
    VALUES (left(md5(gen_random_uuid()::text), 24), 'models.renewTexts', '{}', 0, 10, true);
  END IF;
END $$;
