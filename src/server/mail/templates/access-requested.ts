import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/**
 * Sent to members who manage an app when a member asks to join it. The message of that member is shown on the linked
 * page, not in the mail.
 */
export const accessRequested = defineMail(
  z.object({ name: nameValue, space: nameValue, app: nameValue, link: linkValue }),
  {
    ja: ({ name, space, app, link }) => ({
      subject: `${name} さんが「${app}」への参加を希望しています`,
      paragraphs: [
        `${name} さんから、スペース「${space}」のApp「${app}」への参加リクエストが届きました。`,
        '次のページで、ロールを選んで承認するか、断ることができます。',
      ],
      link: { label: '参加リクエストを確認する', url: link },
      after: ['このメールは、このAppを管理できる方にお送りしています。'],
    }),
    en: ({ name, space, app, link }) => ({
      subject: `A request to join ${app}`,
      paragraphs: [
        `${name} has asked to join the app “${app}” in the space “${space}”.`,
        'On the page below, you can choose a role and accept the request, or decline it.',
      ],
      link: { label: 'View request', url: link },
      after: ['You are receiving this email because you manage this app.'],
    }),
  },
)
