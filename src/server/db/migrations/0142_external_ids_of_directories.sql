-- A directory may give the same externalId twice: RFC 7643 §3.1 leaves its uniqueness to the client (docs/decisions/0052).
ALTER TABLE scim_user DROP CONSTRAINT scim_user_external;
