-- Pairs of characters are put into their index some dozen rows at a time: one row at a time costs more than twice as much as all the
-- rest of a document (docs/decisions/0063). How many rows wait there is up to the connection (gin_pending_list_limit, db/connection.ts).
DO $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'document_text_grams'::regclass LOOP
    EXECUTE format('ALTER INDEX %s SET (fastupdate = on)', part);
  END LOOP;
END $$;
ALTER INDEX asset_grams SET (fastupdate = on);
