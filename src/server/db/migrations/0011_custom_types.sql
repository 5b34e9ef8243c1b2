-- Custom types: fields that people put together, for the models of an app. Models name them by uid in their fields,
-- values by public_id. What models still use is not deleted, so a row that is deleted is gone.
CREATE TABLE custom_type (
  space_id    int NOT NULL,
  app_id      int NOT NULL,
  id          int GENERATED ALWAYS AS IDENTITY UNIQUE,
  public_id   hex_id NOT NULL UNIQUE,      -- the custom type's _id on the wire
  uid         text COLLATE "C" NOT NULL,
  name        text NOT NULL,
  description text NOT NULL DEFAULT '',
  fields      jsonb NOT NULL DEFAULT '[]',
  version     int NOT NULL DEFAULT 1,
  created_at  moment NOT NULL DEFAULT now(),
  updated_at  moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, id),
  FOREIGN KEY (space_id, app_id) REFERENCES app (space_id, id)
);
CREATE UNIQUE INDEX custom_type_uid ON custom_type (space_id, app_id, uid);
CREATE UNIQUE INDEX custom_type_name ON custom_type (space_id, app_id, name);

GRANT SELECT, INSERT, UPDATE, DELETE ON custom_type TO imori_member;
ALTER TABLE custom_type ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON custom_type TO imori_member USING (space_id = current_setting('imori.space_id')::int);
