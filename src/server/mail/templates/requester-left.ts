import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** Sent to members who see all jobs of a space when a job fails because its requester left or lost the right. */
export const requesterLeft = defineMail(z.object({ space: nameValue, link: linkValue }), {
  ja: ({ space, link }) => ({
    subject: `スペース「${space}」で、実行できなかった処理があります`,
    paragraphs: [
      `スペース「${space}」のメンバーが依頼した処理を、実行できませんでした。`,
      '依頼した人が、スペースまたはAppに入れなくなったか、必要な権限を失ったためです。この処理が必要な場合は、権限のある人がジョブの一覧から再実行してください。',
    ],
    link: { label: 'ジョブを確認する', url: link },
    after: ['このメールは、スペースの設定を管理できる方にお送りしています。'],
  }),
  en: ({ space, link }) => ({
    subject: `A job of ${space} could not run`,
    paragraphs: [
      `A job that a member of the space “${space}” requested could not run.`,
      'The member can no longer use the space or the app, or no longer has the required permission. If the job is still needed, a member with the permission can run it again in the list of jobs.',
    ],
    link: { label: 'View jobs', url: link },
    after: ['You are receiving this email because you can manage the settings of this space.'],
  }),
})
