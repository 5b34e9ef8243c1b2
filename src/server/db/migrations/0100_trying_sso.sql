-- An administrator of a space begins a sign-in that is only tried out, from inside the space.
GRANT INSERT ON sso_sign_in TO imori_member;
ALTER TABLE sso_sign_in ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sso_sign_in TO imori_member
  USING (false) WITH CHECK (EXISTS (SELECT FROM sso_connection WHERE sso_connection.id = connection_id));
