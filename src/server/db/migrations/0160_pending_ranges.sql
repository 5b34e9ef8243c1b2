-- The columns have the words of the code; a trial is a trial period of a billing plan.
ALTER TABLE space_security RENAME COLUMN trial_ends_at TO ip_ranges_pending_until;
ALTER TABLE space_security RENAME COLUMN token_trial_ends_at TO token_ip_ranges_pending_until;
ALTER TABLE space_security RENAME CONSTRAINT space_security_trial TO space_security_pending_ranges;
ALTER TABLE space_security RENAME CONSTRAINT space_security_token_trial TO space_security_pending_token_ranges;
