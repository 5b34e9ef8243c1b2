import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

const confirmation = z.object({ name: nameValue, email: z.string(), link: linkValue, hours: z.int() })

/**
 * Sent to the new email address of an account during a change of address. With `both`, the change takes effect after
 * the current address has confirmed it too. Otherwise the confirmation by the new address is sufficient.
 */
export const emailChange = defineMail(confirmation.extend({ both: z.boolean().default(true) }), {
  ja: ({ name, email, link, hours, both }) => ({
    subject: '新しいメールアドレスの確認',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      `Imoriのアカウントのメールアドレスを ${email} に変更する手続きが行われました。次のリンクを開いて、このアドレスを確認してください。`,
      both
        ? '変更は、現在のアドレスと新しいアドレスの両方で確認されると完了します。'
        : 'このアドレスが確認されると、変更が完了します。',
    ],
    link: { label: '新しいアドレスを確認する', url: link },
    after: [`リンクの有効期限は${hours}時間です。`, 'お心当たりがない場合は、このメールを破棄してください。'],
  }),
  en: ({ name, email, link, hours, both }) => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      `The email address of an Imori account is being changed to ${email}. Open the link below to confirm this address.`,
      both
        ? 'The change takes effect once both the current and the new address are confirmed.'
        : 'The change takes effect once this address is confirmed.',
    ],
    link: { label: 'Confirm new address', url: link },
    after: [`The link works for ${hours} hours.`, 'If this was not you, ignore this email.'],
  }),
})

/**
 * Sent to the current email address during a change of address. The change requires the approval of the current
 * address.
 */
export const emailChangeAsked = defineMail(confirmation, {
  ja: ({ name, email, link, hours }) => ({
    subject: 'メールアドレスの変更の確認',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      `Imoriのアカウントのメールアドレスを ${email} に変更する手続きが行われました。変更してよい場合は、次のリンクを開いて承認してください。`,
      '変更は、現在のアドレスと新しいアドレスの両方で確認されると完了します。',
    ],
    link: { label: '変更を承認する', url: link },
    after: [
      `リンクの有効期限は${hours}時間です。`,
      'お心当たりがない場合は、リンクを開かないでください。第三者がアカウントを操作しているおそれがあります。パスワードを変更し、ほかのセッションを終了してください。',
    ],
  }),
  en: ({ name, email, link, hours }) => ({
    subject: 'Approve your new email address',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      `The email address of your Imori account is being changed to ${email}. If that is right, open the link below to approve it.`,
      'The change takes effect once both the current and the new address are confirmed.',
    ],
    link: { label: 'Approve change', url: link },
    after: [
      `The link works for ${hours} hours.`,
      'If this was not you, do not open the link: someone else may be using your account. Change your password and end your other sessions.',
    ],
  }),
})

/**
 * Sent to the current email address during a change of address, if the current address was never confirmed. The change
 * does not require the approval of this address. The mailbox may belong to another person, so the mail contains neither
 * the name nor the new address.
 */
export const emailChangeBegun = defineMail(z.object({ link: linkValue }), {
  ja: ({ link }) => ({
    subject: 'メールアドレスの変更の手続きについて',
    paragraphs: [
      'このメールアドレスで登録されたImoriのアカウントで、アドレスを変更する手続きが行われました。新しいアドレスで確認されると、このアカウントは変更先のアドレスのものになります。',
      'このアカウントがご自身のもので、変更にお心当たりがない場合は、次のページからすぐにパスワードを再設定してください。変更の手続きは取り消され、すべてのセッションが終了します。',
    ],
    link: { label: 'パスワードを再設定する', url: link },
    after: ['このアカウントをお持ちでない場合は、このメールを破棄してください。'],
  }),
  en: ({ link }) => ({
    subject: 'The email address of an Imori account is being changed',
    paragraphs: [
      'An Imori account was registered with this email address, and a change to another address was requested. Once the new address is confirmed, the account uses it.',
      'If the account is yours and you did not request this, reset your password on the page below now. This cancels the change and ends all sessions.',
    ],
    link: { label: 'Reset password', url: link },
    after: ['If you have no such account, ignore this email.'],
  }),
})

/**
 * Sent to the previous email address of the account. After a change by the operator, the mail is also sent to the new
 * address. `email` is the new address, or empty if the previous address was never confirmed and the owner changed it.
 */
export const emailChanged = defineMail(z.object({ name: nameValue, email: z.string() }), {
  ja: ({ name, email }) => ({
    subject: 'メールアドレスを変更しました',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      email
        ? `Imoriのアカウントのメールアドレスが ${email} に変更されました。今後のお知らせは新しいアドレスにお送りします。`
        : 'このアドレスで登録されていたImoriのアカウントのメールアドレスが変更されました。今後、このアドレスにお知らせは届きません。',
      'お心当たりがない場合は、すぐにImoriの管理者にご連絡ください。',
    ],
  }),
  en: ({ name, email }) => ({
    subject: 'Your email address was changed',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      email
        ? `The email address of your Imori account is now ${email}. From now on, we send emails to that address.`
        : 'The Imori account that was registered with this address now has another address. You will no longer receive emails about it here.',
      'If this was not you, contact an admin of this Imori immediately.',
    ],
  }),
})
