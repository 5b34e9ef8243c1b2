import type { z } from 'zod'
import type { MailTemplate } from '../mail-text.ts'
import { accessRequested } from './access-requested.ts'
import { confirmEmail } from './confirm-email.ts'
import { emailChange, emailChangeAsked, emailChangeBegun, emailChanged } from './email-change.ts'
import { invitation } from './invitation.ts'
import { passwordChanged, resetPassword } from './password.ts'
import { provisioned } from './provisioned.ts'
import {
  secondFactorChanged,
  secondFactorReset,
  secondFactorResetAsked,
  secondFactorUsed,
} from './second-factor.ts'
import { testMail } from './test-mail.ts'

/** Every mail that is sent, by the name that waiting jobs know it by: it stays for ever. */
export const mailTemplates = {
  accessRequested,
  confirmEmail,
  emailChange,
  emailChangeAsked,
  emailChangeBegun,
  emailChanged,
  resetPassword,
  passwordChanged,
  invitation,
  provisioned,
  secondFactorChanged,
  secondFactorReset,
  secondFactorResetAsked,
  secondFactorUsed,
  testMail,
} satisfies Record<string, MailTemplate>

export type MailTemplateName = keyof typeof mailTemplates
/** What a mail needs to know. */
export type MailValues<Name extends MailTemplateName> = z.input<(typeof mailTemplates)[Name]['values']>
