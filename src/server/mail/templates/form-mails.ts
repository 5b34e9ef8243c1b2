import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** Whether the mail contains example values. */
const isTest = z.boolean().default(false)
const mark = { ja: '【テスト】', en: '[Test] ' }

const about = { form: nameValue, space: nameValue, link: linkValue }

const because = {
  ja: 'このメールは、フォームの通知先に登録されている方にお送りしています。通知先は、フォームの「メール」で変更できます。',
  en: 'You are receiving this email because your address is listed for notifications of this form. You can change that under “Mail” of the form.',
}

/** Sent to the addresses of a form for one new submission. `values`: null if the form does not include them. */
export const formSubmission = defineMail(
  z.object({
    ...about,
    values: z.array(z.object({ label: z.string(), value: z.string() })).nullable(),
    files: z.int(),
    isTest,
  }),
  {
    ja: ({ form, space, link, values, files, isTest }) => ({
      subject: `${isTest ? mark.ja : ''}フォーム「${form}」に新しい送信がありました`,
      paragraphs: [
        `スペース「${space}」のフォーム「${form}」に、新しい送信がありました。`,
        ...(values ?? []).map(({ label, value }) => `【${label}】\n${value}`),
        ...(files > 0 ? [`添付ファイル：${files}個（受信箱で確認できます）`] : []),
      ],
      link: { label: '受信箱で確認する', url: link },
      after: [because.ja],
    }),
    en: ({ form, space, link, values, files, isTest }) => ({
      subject: `${isTest ? mark.en : ''}New submission of “${form}”`,
      paragraphs: [
        `The form “${form}” in the space “${space}” has a new submission.`,
        ...(values ?? []).map(({ label, value }) => `${label}:\n${value}`),
        ...(files > 0 ? [`${files === 1 ? '1 file' : `${files} files`} (open the inbox to download)`] : []),
      ],
      link: { label: 'View the inbox', url: link },
      after: [because.en],
    }),
  },
)

const submissions = (count: number) => (count === 1 ? 'submission' : 'submissions')

/** Sent to the addresses of a form instead of single mails if many submissions arrive. */
export const formDigest = defineMail(z.object({ ...about, count: z.int(), minutes: z.int() }), {
  ja: ({ form, space, link, count, minutes }) => ({
    subject: `フォーム「${form}」に${count}件の新しい送信がありました`,
    paragraphs: [
      `スペース「${space}」のフォーム「${form}」に、${count}件の新しい送信がありました。`,
      `1件ずつお知らせする件数を超えたため、まとめてお知らせしています。次のお知らせは、早くても${minutes}分後です。`,
    ],
    link: { label: '受信箱で確認する', url: link },
    after: [because.ja],
  }),
  en: ({ form, space, link, count, minutes }) => ({
    subject: `${count} new ${submissions(count)} of “${form}”`,
    paragraphs: [
      `The form “${form}” in the space “${space}” has ${count} new ${submissions(count)}.`,
      `More arrived than are emailed one by one. The next email follows in ${minutes} minutes at the earliest.`,
    ],
    link: { label: 'View the inbox', url: link },
    after: [because.en],
  }),
})

const replyValues = z.object({ subject: z.string(), body: z.string(), isTest })
/** The body of a reply, with a paragraph for each part between blank lines. */
const paragraphs = (body: string) => body.split(/\n\s*\n/).filter((part) => part.trim() !== '')

/** The automatic reply of a form. Members write its text; values of the visitor in it are already made safe. */
export const formReply = defineMail(replyValues, {
  ja: ({ subject, body, isTest }) => ({
    subject: `${isTest ? mark.ja : ''}${subject}`,
    isForVisitor: true,
    paragraphs: paragraphs(body),
    after: [
      'このメールは、フォームに入力されたメールアドレスに自動でお送りしています。心当たりがない場合は、破棄してください。',
    ],
  }),
  en: ({ subject, body, isTest }) => ({
    subject: `${isTest ? mark.en : ''}${subject}`,
    isForVisitor: true,
    paragraphs: paragraphs(body),
    after: [
      'This email was sent automatically to the address entered in a form. If you did not send the form, please ignore it.',
    ],
  }),
})
