-- Mails about submissions of forms (docs/decisions/0130): notifications and automatic replies.
ALTER TABLE form
  ADD COLUMN notification jsonb NOT NULL DEFAULT '{"to": [], "language": "ja", "includesValues": true}',
  ADD COLUMN reply jsonb NOT NULL DEFAULT
    '{"enabled": false, "subject": {"ja": "", "en": ""}, "body": {"ja": "", "en": ""}, "replyTo": null}',
  ADD COLUMN notify_after moment,          -- earliest time of the next notification; NULL: at any time
  ADD COLUMN test_mailed_at moment;        -- time of the last test mail; NULL: none yet

ALTER TABLE form_submission
  ADD COLUMN awaits_notification boolean NOT NULL DEFAULT false,
  ADD COLUMN awaits_reply boolean NOT NULL DEFAULT false,
  -- NULL: no reply; limited: not sent, because a limit of replies was reached
  ADD COLUMN reply_state text CHECK (reply_state IN ('queued', 'limited'));
CREATE INDEX ON form_submission (space_id, form_id, received_at) WHERE awaits_notification;
CREATE INDEX ON form_submission (space_id, form_id, received_at) WHERE awaits_reply;
