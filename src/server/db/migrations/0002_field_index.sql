-- Indexes on single fields of large models, made on demand (server/content/field-indexes.ts). Only the owner's
-- business: members of spaces get no grant. A row is written before its index is built, so that one that was left
-- half-built is known.
CREATE TABLE field_index (
  name         text COLLATE "C" PRIMARY KEY,
  model_id     int NOT NULL,
  field_id     hex_id NOT NULL,
  keys         text NOT NULL,              -- what is indexed, as SQL: differs when the field's type changed
  created_at   moment NOT NULL DEFAULT now(),
  last_used_at moment NOT NULL DEFAULT now()
);
