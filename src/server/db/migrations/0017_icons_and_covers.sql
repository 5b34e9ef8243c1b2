-- Icons and covers: small pictures that are made of what people upload. They lie here and in no storage
-- (docs/decisions/0032). Another picture has another id, which stands in its address.

CREATE TABLE app_picture (
  space_id   int NOT NULL,
  app_id     int NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('icon', 'cover')),
  id         hex_id NOT NULL,
  media_type text NOT NULL,
  bytes      bytea NOT NULL,
  PRIMARY KEY (space_id, app_id, kind),
  FOREIGN KEY (space_id, app_id) REFERENCES app ON DELETE CASCADE
);
ALTER TABLE app_picture ALTER bytes SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX app_picture_id ON app_picture (space_id, id);
GRANT SELECT, INSERT, UPDATE, DELETE ON app_picture TO imori_member;
ALTER TABLE app_picture ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON app_picture TO imori_member USING (space_id = current_setting('imori.space_id')::int);

CREATE TABLE account_icon (
  account_id hex_id PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  id         hex_id NOT NULL,
  media_type text NOT NULL,
  bytes      bytea NOT NULL
);
ALTER TABLE account_icon ALTER bytes SET STORAGE EXTERNAL;

-- The id of the row above, for whoever reads the account.
ALTER TABLE account ADD icon_id hex_id;
GRANT SELECT (icon_id) ON account TO imori_member;
