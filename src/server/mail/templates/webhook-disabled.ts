import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** Sent to the user who created a webhook when its receiver responds with 410, which disables the webhook. */
export const webhookDisabled = defineMail(z.object({ name: nameValue, space: nameValue, link: linkValue }), {
  ja: ({ name, space, link }) => ({
    subject: `Webhook「${name}」を無効にしました`,
    paragraphs: [
      `スペース「${space}」のWebhook「${name}」の送信先が、今後は受け取らないと応答しました（HTTP 410）。そのため、このWebhookを無効にしました。`,
      'これからも使う場合は、送信先のURLを直してから有効に戻してください。有効に戻すと、送信待ちのもののうち、イベントから3日以内のものを送ります。無効の間に起きたことは、あとから送りません。',
    ],
    link: { label: 'Webhookを確認する', url: link },
    after: ['このメールは、このWebhookを作成した方にお送りしています。'],
  }),
  en: ({ name, space, link }) => ({
    subject: `The webhook “${name}” was disabled`,
    paragraphs: [
      `The receiver of the webhook “${name}” in the space “${space}” responded that it accepts no further requests (HTTP 410). The webhook was therefore disabled.`,
      'If you still need it, correct its URL and enable it again. Waiting requests are then sent, up to three days after their events. Events that happen while it is disabled are not sent later.',
    ],
    link: { label: 'View the webhook', url: link },
    after: ['You are receiving this email because you created this webhook.'],
  }),
})
