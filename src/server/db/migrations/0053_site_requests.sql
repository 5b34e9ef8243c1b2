-- Which sites and programs have asked the delivery API for a model, so that somebody who moved a site sees that it has arrived.
CREATE TABLE site_request (
  space_id  int NOT NULL,
  model_id  int NOT NULL,
  kind      text NOT NULL CHECK (kind IN ('cdn', 'api')),
  site      text NOT NULL CHECK (length(site) <= 200),   -- the page's origin; '': a program asked
  agent     text NOT NULL CHECK (length(agent) <= 60),   -- the program; '': a page asked
  first_at  moment NOT NULL DEFAULT now(),
  last_at   moment NOT NULL DEFAULT now(),
  PRIMARY KEY (space_id, model_id, kind, site, agent),
  FOREIGN KEY (space_id, model_id) REFERENCES model (space_id, id) ON DELETE CASCADE
);
GRANT SELECT ON site_request TO imori_member;
ALTER TABLE site_request ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON site_request TO imori_member USING (space_id = current_setting('imori.space_id')::int);
