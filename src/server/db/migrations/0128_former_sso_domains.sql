-- A proven domain that a space takes off its list keeps its proof for that space, should it be named again.
CREATE TABLE former_sso_domain (
  space_id  int NOT NULL REFERENCES space,
  domain    text NOT NULL,
  challenge text NOT NULL,
  proof     text NOT NULL,
  PRIMARY KEY (space_id, domain)
);
GRANT SELECT, INSERT, DELETE ON former_sso_domain TO imori_member;
ALTER TABLE former_sso_domain ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON former_sso_domain TO imori_member USING (space_id = current_setting('imori.space_id')::int);
