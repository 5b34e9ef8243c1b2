import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** To somebody who is invited into a space, and with it into an app. */
export const invitation = defineMail(
  z.object({
    inviter: nameValue,
    space: nameValue,
    /** Empty: no app comes with it. */
    app: nameValue,
    link: linkValue,
    days: z.int(),
  }),
  {
    ja: ({ inviter, space, app, link, days }) => ({
      subject: `「${space}」への招待`,
      paragraphs: [
        `${inviter} さんから、Imoriのスペース「${space}」${app ? `のApp「${app}」` : ''}に招待されました。`,
        '次のリンクを開いて参加してください。アカウントをお持ちでない場合は、その場で作成できます。',
      ],
      link: { label: '招待を確認する', url: link },
      after: [
        `有効期限は${days}日間です。期限が切れた場合は、招待した方に再送をご依頼ください。`,
        'リンクを知っている人は参加できます。ほかの人に転送しないでください。お心当たりがない場合は、このメールを破棄してください。',
      ],
    }),
    en: ({ inviter, space, app, link, days }) => ({
      subject: `You are invited to ${space} on Imori`,
      paragraphs: [
        `${inviter} invited you to ${app ? `the app “${app}” in ` : ''}the space “${space}” on Imori.`,
        'Open the link below to join. If you do not have an account yet, you can create one there.',
      ],
      link: { label: 'View invitation', url: link },
      after: [
        `The link is valid for ${days} days. After that, ask the person who invited you to send it again.`,
        'Anyone who has the link can join, so do not pass it on. If you did not expect this email, ignore it.',
      ],
    }),
  },
)
