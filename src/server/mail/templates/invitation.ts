import { z } from 'zod'
import type { Language } from '#shared/languages.ts'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameOfRole, roleValue } from '../role-value.ts'
import { nameValue } from '../safe-name.ts'

const values = z.object({
  inviter: nameValue,
  space: nameValue,
  /** Name of the app. Empty: the invitation is not to an app. */
  app: nameValue,
  // Optional, because jobs that an earlier version enqueued lack these values.
  role: roleValue.optional(),
  appRole: roleValue.nullish(),
  /** The invited email address, if the invitation can only be accepted by SSO. `null`: no SSO is required. */
  ssoEmail: z.string().nullish(),
  link: linkValue,
  days: z.int(),
})

/** Returns a paragraph with one line per role: in the space, and in the app. Empty without roles. */
const rolesIn = (
  language: Language,
  { role, appRole, app }: z.output<typeof values>,
  label: { role: string; appRole: (app: string) => string },
): string[] => {
  const lines = [
    ...(role ? [`${label.role}${nameOfRole(language, role)}`] : []),
    ...(app && appRole ? [`${label.appRole(app)}${nameOfRole(language, appRole)}`] : []),
  ]
  return lines.length === 0 ? [] : [lines.join('\n')]
}

/** Sent to a person invited to a space, and possibly to an app. */
export const invitation = defineMail(values, {
  ja: (given) => ({
    subject: `「${given.space}」への招待`,
    paragraphs: [
      `${given.inviter} さんから、Imoriのスペース「${given.space}」${given.app ? `のApp「${given.app}」` : ''}に招待されました。`,
      ...rolesIn('ja', given, {
        role: 'スペースでのロール：',
        appRole: (app) => `App「${app}」でのロール：`,
      }),
      given.ssoEmail
        ? `次のリンクを開き、会社のログイン画面（SSO）から、${given.ssoEmail} のアカウントでログインして参加してください。パスワードを決める必要はありません。`
        : '次のリンクを開いて参加してください。アカウントをお持ちでない場合は、その場で作成できます。',
    ],
    link: { label: '招待を確認する', url: given.link },
    after: [
      `有効期限は${given.days}日間です。期限が切れた場合は、招待した方に再送をご依頼ください。`,
      `${given.ssoEmail ? 'リンクを知っていて、このSSOでログインできる人は、だれでも参加できます。' : 'リンクを知っている人は参加できます。'}ほかの人に転送しないでください。お心当たりがない場合は、このメールを破棄してください。`,
    ],
  }),
  en: (given) => ({
    subject: `You are invited to ${given.space} on Imori`,
    paragraphs: [
      `${given.inviter} invited you to ${given.app ? `the app “${given.app}” in ` : ''}the space “${given.space}” on Imori.`,
      ...rolesIn('en', given, {
        role: 'Your role in the space: ',
        appRole: (app) => `Your role in the app “${app}”: `,
      }),
      given.ssoEmail
        ? `Open the link below and sign in with your organization’s single sign-on (SSO) as ${given.ssoEmail} to join. You do not need a password.`
        : 'Open the link below to join. If you do not have an account yet, you can create one there.',
    ],
    link: { label: 'View invitation', url: given.link },
    after: [
      `The link is valid for ${given.days} days. After that, ask the person who invited you to send it again.`,
      `Anyone who has the link${given.ssoEmail ? ' and can sign in with this SSO' : ''} can join, so do not forward it. If you did not expect this email, ignore it.`,
    ],
  }),
})
