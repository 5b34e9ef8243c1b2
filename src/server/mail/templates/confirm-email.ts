import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** Sent to a new account, or on request, to confirm its email address. */
export const confirmEmail = defineMail(z.object({ name: nameValue, link: linkValue, hours: z.int() }), {
  ja: ({ name, link, hours }) => ({
    subject: 'メールアドレスの確認',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      'Imoriにご登録いただいたメールアドレスを確認します。次のリンクを開いて、確認を完了してください。',
    ],
    link: { label: 'メールアドレスを確認する', url: link },
    after: [
      `リンクの有効期限は${hours}時間です。`,
      'お心当たりがない場合は、このメールを破棄してください。確認されることはありません。',
    ],
  }),
  en: ({ name, link, hours }) => ({
    subject: 'Confirm your email address',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      'This address was used for an Imori account. Open the link below to confirm that it is yours.',
    ],
    link: { label: 'Confirm email address', url: link },
    after: [
      `The link works for ${hours} hours.`,
      'If this was not you, ignore this email. Nothing will be confirmed.',
    ],
  }),
})
