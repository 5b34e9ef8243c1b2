import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { Language } from '#shared/languages.ts'
import type { MailTemplateName, MailValues } from './templates/index.ts'

export type Mail = {
  [Name in MailTemplateName]: {
    to: string
    language: Language
    template: Name
    values: MailValues<Name>
    /** Time when the link of the mail expires. The mail is not sent after that. */
    expiresAt?: Date
    /** The address to which the recipient answers. Omitted: the sender of the installation. */
    replyTo?: string
  }
}[MailTemplateName]

export interface MailOptions {
  scope?: SpaceScope
  requestedBy?: string | null
  /** Default: `single`. */
  kind?: 'single' | 'bulk'
}

export interface Mailer {
  /**
   * Enqueues a mail in the caller's transaction, so that it is sent only if the transaction commits. `scope` is
   * required if the transaction may only add jobs of that space. Rendering and connecting happen later, so the duration
   * of the call does not depend on the mail. `bulk`: a mail that others may cause in large numbers. It is sent after
   * the mails for which users wait, not stored without a mail server, and not retried after a final refusal.
   */
  send(db: Db, mail: Mail, options?: MailOptions): Promise<void>
}
