import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** Sent to a user who requested to reset the password. */
export const resetPassword = defineMail(z.object({ name: nameValue, link: linkValue, minutes: z.int() }), {
  ja: ({ name, link, minutes }) => ({
    subject: 'パスワードの再設定',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      'Imoriのパスワードを再設定する手続きが行われました。次のリンクを開いて、新しいパスワードを設定してください。',
    ],
    link: { label: 'パスワードを再設定する', url: link },
    after: [
      `リンクは1回だけ使えます。有効期限は${minutes}分です。`,
      'お心当たりがない場合は、このメールを破棄してください。パスワードは変わりません。',
    ],
  }),
  en: ({ name, link, minutes }) => ({
    subject: 'Reset your password',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      'A password reset was requested for your Imori account. Open the link below to choose a new password.',
    ],
    link: { label: 'Reset password', url: link },
    after: [
      `The link works once, within ${minutes} minutes.`,
      'If this was not you, ignore this email. Your password does not change.',
    ],
  }),
})

/** Sent to the owner of the account after the password was changed in the account settings or by a reset link. */
export const passwordChanged = defineMail(z.object({ name: nameValue, link: linkValue }), {
  ja: ({ name, link }) => ({
    subject: 'パスワードを変更しました',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      'Imoriのパスワードが変更されました。ほかのセッションは終了しています。',
      'お心当たりがない場合は、次のページからパスワードを再設定してください。',
    ],
    link: { label: 'パスワードを再設定する', url: link },
  }),
  en: ({ name, link }) => ({
    subject: 'Your password was changed',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      'The password of your Imori account was changed, and your other sessions were ended.',
      'If this was not you, reset your password on the page below.',
    ],
    link: { label: 'Reset password', url: link },
  }),
})
