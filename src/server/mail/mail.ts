import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { Language } from '#shared/languages.ts'
import type { MailTemplateName, MailValues } from './templates/index.ts'

/** A mail to somebody: which one, in which language, and what it needs to know. */
export type Mail = {
  [Name in MailTemplateName]: {
    to: string
    language: Language
    template: Name
    values: MailValues<Name>
    /** When its link ends: it is not sent any more then. */
    expiresAt?: Date
  }
}[MailTemplateName]

export interface Mailer {
  /**
   * Has a mail sent, in the caller's transaction: it is when that commits, and never if it does not. Inside a space the
   * transaction may add only jobs of it (`scope`). Nothing is rendered or connected to here, so it takes as long for every mail.
   */
  send(db: Db, mail: Mail, options?: { scope?: SpaceScope; requestedBy?: string | null }): Promise<void>
}
