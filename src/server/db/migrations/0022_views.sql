-- Views: how the documents of a model are looked at. What people name of fields lies in settings by their _ids, so that
-- renaming a field changes no view.
CREATE TABLE app_view (
  space_id   int NOT NULL,
  app_id     int NOT NULL,
  model_id   int NOT NULL,
  uid        hex_id NOT NULL UNIQUE,
  owner_id   hex_id REFERENCES account ON DELETE CASCADE,  -- whose alone it is; null: everybody's
  name       text NOT NULL,
  type       text NOT NULL,
  settings   jsonb NOT NULL DEFAULT '{}',
  position   int NOT NULL,
  version    int NOT NULL DEFAULT 1,
  created_at moment NOT NULL DEFAULT now(),
  updated_at moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, uid),
  FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id),
  FOREIGN KEY (space_id, model_id) REFERENCES model (space_id, id)
);
CREATE INDEX app_view_of_app ON app_view (space_id, app_id, model_id);
CREATE INDEX app_view_of_owner ON app_view (owner_id) WHERE owner_id IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON app_view TO imori_member;
ALTER TABLE app_view ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON app_view TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- Who makes models makes the views that everybody has of them.
UPDATE role SET rights = rights[1:array_position(rights, 'model.manage')] || '{view.manage}'::text[]
    || rights[array_position(rights, 'model.manage') + 1:]
  WHERE 'model.manage' = ANY (rights);

-- Searching finds either kana by the other (shared/unicode.ts): pairs of characters are those of the folded text, and the
-- text itself is folded where a word with kana is compared with it.
CREATE FUNCTION fold_kana(folded text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN translate(folded,
  'ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワヰヱヲンヴヵヶヽヾ',
  'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔゕゖゝゞ');

-- As content/text.ts does it, once: of every text with katakana.
CREATE FUNCTION folded_grams(texts jsonb) RETURNS int[] LANGUAGE sql AS $$
  WITH pair AS (
    SELECT previous, current FROM jsonb_each_text(texts) AS text, LATERAL (
      SELECT ascii(character)::bigint AS current, lag(ascii(character)::bigint) OVER (ORDER BY place) AS previous
      FROM unnest(string_to_array(fold_kana(text.value), NULL)) WITH ORDINALITY AS found (character, place)
    ) AS characters WHERE previous IS NOT NULL
  ), mixed AS (
    SELECT (previous * 2654435761 & 4294967295) # (current * 2246822507 & 4294967295) AS hash FROM pair
  ), stirred AS (
    SELECT (hash # (hash >> 16)) * 2146121005 & 4294967295 AS hash FROM mixed
  )
  SELECT coalesce(array_agg(DISTINCT (unsigned - CASE WHEN unsigned > 2147483647 THEN 4294967296 ELSE 0 END)::int), '{}')
  FROM (SELECT hash # (hash >> 15) AS unsigned FROM stirred) AS hashed
$$;
UPDATE document_text SET grams = folded_grams(texts) WHERE texts::text ~ '[ァ-ヶヽヾ]';
DROP FUNCTION folded_grams;

-- Lists of what is not published, or not as it is: mostly a small part of a model.
CREATE INDEX document_drafts ON document (model_id, updated_at DESC, id)
  WHERE published_at IS NULL AND deleted_at IS NULL;
CREATE INDEX document_changed ON document (model_id, updated_at DESC, id)
  WHERE published_at IS NOT NULL AND draft IS NOT NULL AND deleted_at IS NULL;
