-- Has an account a second factor in use? Members may not read the secrets of others, and spaces ask this of those who come in.
CREATE FUNCTION has_second_factor(account text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM totp WHERE account_id = account AND confirmed_at IS NOT NULL)
    OR EXISTS (SELECT FROM passkey WHERE account_id = account)
$$;
REVOKE EXECUTE ON FUNCTION has_second_factor FROM PUBLIC;
GRANT EXECUTE ON FUNCTION has_second_factor TO imori_member;
