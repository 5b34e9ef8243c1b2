import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** Sent to a person after the directory of an organisation has added them to a space. */
export const provisioned = defineMail(z.object({ space: nameValue, link: linkValue, days: z.int() }), {
  ja: ({ space, link, days }) => ({
    subject: `「${space}」のメンバーに追加されました`,
    paragraphs: [
      `組織のディレクトリにより、Imoriのスペース「${space}」のメンバーに追加されました。`,
      '次のリンクを開いて参加してください。アカウントをお持ちでない場合は、その場で作成できます。',
    ],
    link: { label: '参加する', url: link },
    after: [
      `有効期限は${days}日間です。期限が切れた場合は、スペースの管理者に再送をご依頼ください。`,
      'リンクを知っている人は参加できます。ほかの人に転送しないでください。お心当たりがない場合は、このメールを破棄してください。',
    ],
  }),
  en: ({ space, link, days }) => ({
    subject: `You were added to ${space} on Imori`,
    paragraphs: [
      `Your organization’s directory added you to the space “${space}” on Imori.`,
      'Open the link below to join. If you do not have an account yet, you can create one there.',
    ],
    link: { label: 'Join', url: link },
    after: [
      `The link is valid for ${days} days. After that, ask an admin of the space to send it again.`,
      'Anyone who has the link can join, so do not forward it. If you did not expect this email, ignore it.',
    ],
  }),
})
