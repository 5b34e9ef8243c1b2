-- Mails that were not sent because no mail server is set (docs/decisions/0044): the installation's admins read them.
-- They hold links that sign people in, so the management API's role does not reach them.
CREATE TABLE kept_mail (
  id         hex_id PRIMARY KEY,           -- of the job that was to send it
  language   text NOT NULL CHECK (language IN ('ja', 'en')),
  content    text NOT NULL,                -- {to, subject, text}, sealed by the keyring
  created_at moment NOT NULL DEFAULT now()
);
CREATE INDEX kept_mail_created ON kept_mail (created_at);
