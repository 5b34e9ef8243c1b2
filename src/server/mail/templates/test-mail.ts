import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'

/** Sent to the installation's admin who tests whether mails arrive. */
export const testMail = defineMail(z.object({ link: linkValue }), {
  ja: ({ link }) => ({
    subject: 'メールの送信テストです',
    paragraphs: [
      'Imoriの管理画面から送信したテストメールです。このメールが届いていれば、メールは正しく送信されています。',
    ],
    link: { label: 'Imoriを開く', url: link },
  }),
  en: ({ link }) => ({
    subject: 'Test email',
    paragraphs: [
      'This test email was sent from the Imori admin. If it has arrived, emails are sent correctly.',
    ],
    link: { label: 'Open Imori', url: link },
  }),
})
