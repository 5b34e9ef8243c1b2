-- The position up to which each event consumer has processed the outbox. "Subscription" is a term of billing.
ALTER TABLE subscription RENAME TO outbox_cursor;
ALTER INDEX subscription_pkey RENAME TO outbox_cursor_pkey;
