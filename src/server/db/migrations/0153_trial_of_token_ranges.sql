-- New token ranges apply for a while only, unless an admin confirms them: until when, and what applies then.
ALTER TABLE space_security
  ADD token_trial_ends_at    moment,
  ADD token_ip_ranges_before text[],
  ADD CONSTRAINT space_security_token_trial CHECK (token_trial_ends_at IS NOT NULL OR token_ip_ranges_before IS NULL);
