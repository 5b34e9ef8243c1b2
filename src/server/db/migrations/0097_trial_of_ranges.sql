-- Ranges that keep their author out hold for a while only, unless somebody inside confirms them: until when, and what holds then.
ALTER TABLE space_security
  ADD trial_ends_at    moment,
  ADD ip_ranges_before text[],
  ADD CONSTRAINT space_security_trial CHECK (trial_ends_at IS NOT NULL OR ip_ranges_before IS NULL);

-- The operator acts from the machine itself (npm run unlock).
ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_actor_kind_check,
  ADD CONSTRAINT audit_entry_actor_kind_check CHECK (actor_kind IN ('account', 'token', 'job', 'operator', 'nobody'));

-- Whoever asks for a new second factor of a member is refused for the installation's admins.
GRANT SELECT (is_admin) ON account TO imori_member;

ALTER TABLE account_link DROP CONSTRAINT account_link_purpose_check,
  ADD CONSTRAINT account_link_purpose_check
    CHECK (purpose IN ('confirmEmail', 'resetPassword', 'newEmail', 'oldEmail', 'resetFactor'));
