import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** Sent to the user who created a webhook when its receiver keeps failing. The webhook may be paused, or not yet. */
export const webhookPaused = defineMail(z.object({ name: nameValue, space: nameValue, link: linkValue }), {
  ja: ({ name, space, link }) => ({
    subject: `Webhook「${name}」の送信に失敗しています`,
    paragraphs: [
      `スペース「${space}」のWebhook「${name}」の送信先が、続けてエラーを返しているか、応答していません。`,
      '間隔を空けて自動で再試行しています。1日以内に復旧すれば、溜まったものも自動で送ります。送信に失敗したままのものは、記録から再送できます。送信先を確認してください。',
    ],
    link: { label: 'Webhookの記録を確認する', url: link },
    after: ['このメールは、このWebhookを作成した方にお送りしています。'],
  }),
  en: ({ name, space, link }) => ({
    subject: `The webhook “${name}” keeps failing`,
    paragraphs: [
      `The receiver of the webhook “${name}” in the space “${space}” keeps returning errors or does not respond.`,
      'Requests are retried automatically at growing intervals. If the receiver recovers within a day, waiting requests are sent too. Requests that have failed can be resent from the log. Check the receiver.',
    ],
    link: { label: 'View the log', url: link },
    after: ['You are receiving this email because you created this webhook.'],
  }),
})
