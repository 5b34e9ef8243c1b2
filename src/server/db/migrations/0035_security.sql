-- What a space asks of who comes in (docs/decisions/0050). No row: nothing beyond what the installation asks.
CREATE TABLE space_security (
  space_id        int PRIMARY KEY REFERENCES space,
  ip_ranges       text[],                 -- from where members come in; NULL: from anywhere
  token_ip_ranges text[],                 -- from where delivery tokens are used; NULL: from anywhere
  session_hours   int CHECK (session_hours BETWEEN 1 AND 336),  -- NULL: as long as the installation lets sessions live
  second_factor   boolean NOT NULL DEFAULT false,
  audit_days      int CHECK (audit_days BETWEEN 30 AND 3650),   -- NULL: entries of the audit log are kept for ever
  version         int NOT NULL DEFAULT 1,
  updated_at      moment NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE ON space_security TO imori_member;
ALTER TABLE space_security ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON space_security TO imori_member USING (space_id = current_setting('imori.space_id')::int);

-- A token may end by itself.
ALTER TABLE token ADD COLUMN expires_at moment;
