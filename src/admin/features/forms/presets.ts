import type { FormInput } from '#shared/contract/forms.ts'
import type { LocalizedText } from '#shared/forms/fields.ts'

/** The forms that a user can start from. `blank` has no fields, so it accepts every value. */
export const presetNames = ['contact', 'newsletter', 'recruitment', 'blank'] as const
export type PresetName = (typeof presetNames)[number]

type Preset = Pick<FormInput, 'fields' | 'thanksMessage'>
type Field = NonNullable<Preset['fields']>[number]

const text = (ja: string, en: string): LocalizedText => ({ ja, en })

const yourName: Field = {
  type: 'text',
  name: 'name',
  label: text('お名前', 'Name'),
  required: true,
  maxLength: 100,
}
const email: Field = { type: 'email', name: 'email', label: text('メールアドレス', 'Email'), required: true }
const privacy: Field = {
  type: 'consent',
  name: 'consent',
  label: text('プライバシーポリシーに同意します', 'I agree to the privacy policy'),
  required: true,
}

/** The fields and texts of each preset. The UI language determines only the name of the new form. */
export const presets: Record<PresetName, Preset> = {
  contact: {
    fields: [
      yourName,
      email,
      { type: 'text', name: 'subject', label: text('件名', 'Subject'), maxLength: 200 },
      {
        type: 'textarea',
        name: 'message',
        label: text('お問い合わせ内容', 'Message'),
        required: true,
        maxLength: 5000,
      },
      privacy,
    ],
    thanksMessage: text(
      'お問い合わせありがとうございます。内容を確認して、ご連絡します。',
      'Thank you for your message. We will get back to you.',
    ),
  },
  newsletter: {
    fields: [email, { ...yourName, required: false }, privacy],
    thanksMessage: text('ご登録ありがとうございます。', 'Thank you for subscribing.'),
  },
  recruitment: {
    fields: [
      yourName,
      { type: 'text', name: 'name_kana', label: text('フリガナ', 'Name in kana'), maxLength: 100 },
      email,
      { type: 'phone', name: 'phone', label: text('電話番号', 'Phone'), required: true },
      {
        type: 'choice',
        name: 'position',
        label: text('希望職種', 'Position'),
        required: true,
        display: 'select',
        options: [
          { value: 'engineer', label: text('エンジニア', 'Engineer') },
          { value: 'designer', label: text('デザイナー', 'Designer') },
          { value: 'other', label: text('そのほか', 'Other') },
        ],
      },
      {
        type: 'file',
        name: 'resume',
        label: text('履歴書・職務経歴書', 'Résumé'),
        help: text('PDF、Word形式。3ファイルまで', 'PDF or Word. Up to 3 files'),
        required: true,
        accept: '.pdf,.doc,.docx',
        maxFiles: 3,
      },
      { type: 'textarea', name: 'message', label: text('自己PR・ご質問', 'Message'), maxLength: 5000 },
      privacy,
    ],
    thanksMessage: text(
      'ご応募ありがとうございます。書類を確認して、ご連絡します。',
      'Thank you for your application. We will get back to you.',
    ),
  },
  blank: {},
}
