import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { Language } from '#shared/languages.ts'
import type { MailTemplateName, MailValues } from './templates/index.ts'

/** A mail to send: recipient, language, template and its values. */
export type Mail = {
  [Name in MailTemplateName]: {
    to: string
    language: Language
    template: Name
    values: MailValues<Name>
    /** Time when the link of the mail expires. The mail is not sent after that. */
    expiresAt?: Date
  }
}[MailTemplateName]

export interface Mailer {
  /**
   * Enqueues a mail in the caller's transaction, so it is sent only if the transaction commits. Inside a space, the
   * transaction may only add jobs of the space (`scope`). Rendering and connecting happen later, so the call takes
   * equally long for every mail.
   */
  send(db: Db, mail: Mail, options?: { scope?: SpaceScope; requestedBy?: string | null }): Promise<void>
}
