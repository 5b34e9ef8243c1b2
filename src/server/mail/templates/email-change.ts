import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

const confirmation = z.object({ name: nameValue, email: z.string(), link: linkValue, hours: z.int() })

/** To the new address of an account. The change takes place once both addresses have confirmed it. */
export const emailChange = defineMail(confirmation, {
  ja: ({ name, email, link, hours }) => ({
    subject: '新しいメールアドレスの確認',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      `Imoriのアカウントのメールアドレスを ${email} に変更する手続きが行われました。次のリンクを開いて、このアドレスを確認してください。`,
      '変更は、現在のアドレスと新しいアドレスの両方で確認されると完了します。',
    ],
    link: { label: '新しいアドレスを確認する', url: link },
    after: [`リンクの有効期限は${hours}時間です。`, 'お心当たりがない場合は、このメールを破棄してください。'],
  }),
  en: ({ name, email, link, hours }) => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      `The email address of an Imori account is being changed to ${email}. Open the link below to confirm this address.`,
      'The change takes effect once both the current and the new address are confirmed.',
    ],
    link: { label: 'Confirm new address', url: link },
    after: [`The link works for ${hours} hours.`, 'If this was not you, ignore this email.'],
  }),
})

/** To the present address of the account. */
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
      'お心当たりがない場合は、リンクを開かないでください。第三者がアカウントを操作しているおそれがあります。パスワードを変更し、ほかの端末のログインを終了してください。',
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

/** To the address that the account had before. */
export const emailChanged = defineMail(z.object({ name: nameValue, email: z.string() }), {
  ja: ({ name, email }) => ({
    subject: 'メールアドレスを変更しました',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      `Imoriのアカウントのメールアドレスが ${email} に変更されました。今後のお知らせは新しいアドレスにお送りします。`,
      'お心当たりがない場合は、すぐにImoriの管理者にご連絡ください。',
    ],
  }),
  en: ({ name, email }) => ({
    subject: 'Your email address was changed',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      `The email address of your Imori account is now ${email}. We will write to you there from now on.`,
      'If this was not you, tell the administrator of this Imori immediately.',
    ],
  }),
})
