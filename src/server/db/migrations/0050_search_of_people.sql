-- What people are looked for by, made once for each name and address instead of with each search: as `foldKana` does it.
ALTER TABLE account ADD COLUMN search_text text NOT NULL
  GENERATED ALWAYS AS (fold_kana(lower(normalize(name, NFKC))) || E'\n' || lower(email)) STORED;
GRANT SELECT (search_text) ON account TO imori_member;
