-- Who has taken an invitation, so that a link is no way back for who was taken out since: by account and by address, as in removed_member.
CREATE TABLE invitation_taking (
  space_id      int NOT NULL,
  invitation_id hex_id NOT NULL,
  who           text NOT NULL,                  -- id of an account, or the SHA-256 of an address in small letters as hex
  taken_at      moment NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (space_id, invitation_id, who),
  FOREIGN KEY (space_id, invitation_id) REFERENCES invitation (space_id, id) ON DELETE CASCADE
);
GRANT SELECT, INSERT, DELETE ON invitation_taking TO imori_member;
ALTER TABLE invitation_taking ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invitation_taking TO imori_member USING (space_id = current_setting('imori.space_id')::int);
