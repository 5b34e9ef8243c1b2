-- The installation itself acts without a job, and visitors send forms without an account.
ALTER TABLE event DROP CONSTRAINT event_actor_kind_check,
  ADD CONSTRAINT event_actor_kind_check CHECK (actor_kind IN ('account', 'token', 'job', 'system', 'visitor'));
ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_actor_kind_check,
  ADD CONSTRAINT audit_entry_actor_kind_check
    CHECK (actor_kind IN ('account', 'token', 'job', 'system', 'visitor', 'operator', 'nobody'));
