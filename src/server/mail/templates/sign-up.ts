import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** Sent to a new user at sign-up, if addresses are confirmed before accounts are created. */
export const finishSignup = defineMail(z.object({ name: nameValue, link: linkValue, hours: z.int() }), {
  ja: ({ name, link, hours }) => ({
    subject: 'アカウント登録を完了してください',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      'Imoriのアカウント登録を受け付けました。次のリンクを開き、登録時に決めたパスワードを入力すると、登録が完了します。',
    ],
    link: { label: '登録を完了する', url: link },
    after: [
      `リンクの有効期限は${hours}時間です。`,
      'お心当たりがない場合は、このメールを破棄してください。アカウントは作成されません。',
    ],
  }),
  en: ({ name, link, hours }) => ({
    subject: 'Finish signing up',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      'Someone signed up for an Imori account with this address. To create the account, open the link below and enter the password that was chosen at sign-up.',
    ],
    link: { label: 'Create account', url: link },
    after: [
      `The link works for ${hours} hours.`,
      'If this was not you, ignore this email. No account will be created.',
    ],
  }),
})

/** Sent to the owner of an account after an attempt to sign up with the account's email address. */
export const signupOfOwner = defineMail(z.object({ name: nameValue, link: linkValue }), {
  ja: ({ name, link }) => ({
    subject: 'アカウントはすでに登録されています',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      'このメールアドレスで、Imoriのアカウントを登録する操作が行われました。アカウントはすでにあるため、新しくは作成されていません。',
      'ご自身の操作の場合は、次のページからログインしてください。パスワードを忘れた場合は、同じページの「パスワードを忘れた場合」から再設定できます。',
    ],
    link: { label: 'ログインする', url: link },
    after: ['お心当たりがない場合は、このメールを破棄してください。アカウントは変わりません。'],
  }),
  en: ({ name, link }) => ({
    subject: 'You already have an account',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      'Someone tried to sign up for an Imori account with this address. You already have an account, so no new account was created.',
      'If it was you, sign in on the page below. If you do not remember your password, choose “Forgot your password?” there.',
    ],
    link: { label: 'Sign in', url: link },
    after: ['If this was not you, ignore this email. Your account has not changed.'],
  }),
})
