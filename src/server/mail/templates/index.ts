import type { z } from 'zod'
import type { MailTemplate } from '../mail-text.ts'
import { accessRequested } from './access-requested.ts'
import { confirmEmail } from './confirm-email.ts'
import { emailChange, emailChangeAsked, emailChangeBegun, emailChanged } from './email-change.ts'
import { formDigest, formReply, formSubmission } from './form-mails.ts'
import { invitation } from './invitation.ts'
import { passwordChanged, resetPassword } from './password.ts'
import { provisioned } from './provisioned.ts'
import { requesterLeft } from './requester-left.ts'
import {
  secondFactorChanged,
  secondFactorReset,
  secondFactorResetAsked,
  secondFactorUsed,
} from './second-factor.ts'
import { finishSignup, signupOfOwner } from './sign-up.ts'
import { testMail } from './test-mail.ts'
import { webhookDisabled } from './webhook-disabled.ts'
import { webhookPaused } from './webhook-paused.ts'

/** Mail templates by name. A name must not change, because pending jobs contain it. */
export const mailTemplates = {
  accessRequested,
  confirmEmail,
  finishSignup,
  signupOfOwner,
  emailChange,
  emailChangeAsked,
  emailChangeBegun,
  emailChanged,
  resetPassword,
  passwordChanged,
  formDigest,
  formReply,
  formSubmission,
  invitation,
  provisioned,
  requesterLeft,
  secondFactorChanged,
  secondFactorReset,
  secondFactorResetAsked,
  secondFactorUsed,
  testMail,
  webhookDisabled,
  webhookPaused,
} satisfies Record<string, MailTemplate>

export type MailTemplateName = keyof typeof mailTemplates
export type MailValues<Name extends MailTemplateName> = z.input<(typeof mailTemplates)[Name]['values']>
