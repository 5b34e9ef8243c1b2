import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** Sent to the owner of the account after the second factor was turned on or off. */
export const secondFactorChanged = defineMail(
  z.object({ name: nameValue, isOn: z.boolean(), link: linkValue }),
  {
    ja: ({ name, isOn, link }) => ({
      subject: isOn ? '2段階認証を有効にしました' : '2段階認証を無効にしました',
      paragraphs: [
        ...(name ? [`${name} 様`] : []),
        isOn
          ? 'Imoriのアカウントの2段階認証が有効になりました。次回からは、パスワードだけではログインできません。'
          : 'Imoriのアカウントの2段階認証が無効になりました。次回からは、パスワードだけでログインできます。',
        'お心当たりがない場合は、次のページからパスワードを再設定し、Imoriの管理者にご連絡ください。',
      ],
      link: { label: 'パスワードを再設定する', url: link },
    }),
    en: ({ name, isOn, link }) => ({
      subject: isOn ? 'Two-factor authentication is on' : 'Two-factor authentication is off',
      paragraphs: [
        ...(name ? [`Hello ${name},`] : []),
        isOn
          ? 'Two-factor authentication was turned on for your Imori account. From now on, your password alone is not enough to sign in.'
          : 'Two-factor authentication was turned off for your Imori account. From now on, your password alone is enough to sign in.',
        'If this was not you, reset your password on the page below and contact an admin of this Imori.',
      ],
      link: { label: 'Reset password', url: link },
    }),
  },
)

/**
 * Values of the mail about a removed second factor. `by` is the cause: the first confirmation of the email address, the
 * owner by a link, an admin, or the operator. `who` is the name of the admin, and is shown only for `admin`.
 */
const reset = z.object({
  name: nameValue,
  by: z.enum(['address', 'owner', 'admin', 'operator']),
  who: nameValue,
  link: linkValue,
})

/** Sent to the owner of the account after the second factor was reset. */
export const secondFactorReset = defineMail(reset, {
  ja: ({ name, by, who, link }) => ({
    subject: '2段階認証がリセットされました',
    paragraphs: [
      ...(name ? [`${name} 様`] : []),
      {
        address:
          'メールアドレスが確認されたため、確認の前にImoriのアカウントに設定されていた2段階認証をすべて解除しました。',
        owner:
          'メールのリンクから、Imoriのアカウントの2段階認証がリセットされました。認証アプリ、パスキー、リカバリーコードはすべて解除されています。',
        admin: `Imoriの管理者（${who}）が、アカウントの2段階認証をリセットしました。認証アプリ、パスキー、リカバリーコードはすべて解除されています。`,
        operator:
          'Imoriの運用者が、アカウントの2段階認証をリセットしました。認証アプリ、パスキー、リカバリーコードはすべて解除されています。',
      }[by],
      `${by === 'address' ? 'ほかのセッション' : 'すべてのセッション'}は終了しました。パスワードでログインし、次のページで2段階認証を設定し直してください。`,
    ],
    link: { label: '2段階認証を設定する', url: link },
    after: ['お心当たりがない場合は、すぐにパスワードを再設定し、Imoriの管理者にご連絡ください。'],
  }),
  en: ({ name, by, who, link }) => ({
    subject: 'Two-factor authentication was reset',
    paragraphs: [
      ...(name ? [`Hello ${name},`] : []),
      {
        address:
          'Your email address was confirmed. All second factors that were set up for your Imori account before that were removed.',
        owner:
          'Two-factor authentication of your Imori account was reset with the link in an email. Your authenticator app, passkeys and recovery codes were removed.',
        admin: `An admin of this Imori (${who}) reset two-factor authentication of your account. Your authenticator app, passkeys and recovery codes were removed.`,
        operator:
          'The operator of this Imori reset two-factor authentication of your account. Your authenticator app, passkeys and recovery codes were removed.',
      }[by],
      `${by === 'address' ? 'Your other' : 'All your'} sessions were ended. Sign in with your password and set up two-factor authentication again on the page below.`,
    ],
    link: { label: 'Set up two-factor authentication', url: link },
    after: [
      'If you did not expect this, reset your password immediately and contact an admin of this Imori.',
    ],
  }),
})

const happened = z.enum(['passkeyAdded', 'passkeyDeleted', 'recoveryCodeUsed', 'recoveryCodesRenewed'])

/**
 * Sent to the owner of the account after a passkey was added or deleted, recovery codes were replaced, or a recovery
 * code was used. The second factor is still on.
 */
export const secondFactorUsed = defineMail(
  z.object({ name: nameValue, what: happened, left: z.int(), link: linkValue }),
  {
    ja: ({ name, what, left, link }) => ({
      subject: {
        passkeyAdded: 'パスキーが追加されました',
        passkeyDeleted: 'パスキーが削除されました',
        recoveryCodeUsed: 'リカバリーコードが使われました',
        recoveryCodesRenewed: '新しいリカバリーコードが発行されました',
      }[what],
      paragraphs: [
        ...(name ? [`${name} 様`] : []),
        {
          passkeyAdded:
            'Imoriのアカウントにパスキーが追加されました。このパスキーがあれば、パスワードなしでログインできます。',
          passkeyDeleted:
            'Imoriのアカウントからパスキーが削除されました。このパスキーではログインできなくなりました。',
          recoveryCodeUsed: `リカバリーコードを使って、Imoriのアカウントにログインがありました。残りは${left}個です。`,
          recoveryCodesRenewed:
            'Imoriのアカウントのリカバリーコードが新しく発行されました。これまでのコードは使えません。',
        }[what],
        'お心当たりがない場合は、次のページからパスワードを再設定し、Imoriの管理者にご連絡ください。',
      ],
      link: { label: 'パスワードを再設定する', url: link },
    }),
    en: ({ name, what, left, link }) => ({
      subject: {
        passkeyAdded: 'A passkey was added',
        passkeyDeleted: 'A passkey was removed',
        recoveryCodeUsed: 'A recovery code was used',
        recoveryCodesRenewed: 'New recovery codes were created',
      }[what],
      paragraphs: [
        ...(name ? [`Hello ${name},`] : []),
        {
          passkeyAdded:
            'A passkey was added to your Imori account. You can sign in with it without a password.',
          passkeyDeleted:
            'A passkey was removed from your Imori account. It can no longer be used to sign in.',
          recoveryCodeUsed: `Someone signed in to your Imori account with a recovery code. Codes left: ${left}.`,
          recoveryCodesRenewed:
            'New recovery codes were created for your Imori account. The previous codes no longer work.',
        }[what],
        'If this was not you, reset your password on the page below and contact an admin of this Imori.',
      ],
      link: { label: 'Reset password', url: link },
    }),
  },
)

/** Sent to a member who has lost the second factor, when another member starts the reset. */
export const secondFactorResetAsked = defineMail(
  z.object({ name: nameValue, who: nameValue, space: nameValue, link: linkValue, hours: z.int() }),
  {
    ja: ({ name, who, space, link, hours }) => ({
      subject: '2段階認証の再設定',
      paragraphs: [
        ...(name ? [`${name} 様`] : []),
        `スペース「${space}」の ${who} さんから、2段階認証を設定し直すための手続きが依頼されました。認証アプリ、パスキー、リカバリーコードを使えなくなった場合は、次のリンクを開いてください。パスワードを入力すると、これまでの2段階認証が解除されます。`,
      ],
      link: { label: '2段階認証を解除する', url: link },
      after: [
        `リンクは1回だけ使えます。有効期限は${hours}時間です。`,
        'お心当たりがない場合は、リンクを開かないでください。2段階認証は変わりません。',
      ],
    }),
    en: ({ name, who, space, link, hours }) => ({
      subject: 'Set up two-factor authentication again',
      paragraphs: [
        ...(name ? [`Hello ${name},`] : []),
        `${who} of the space “${space}” asked you to set up two-factor authentication again. If you can no longer use your authenticator app, passkeys and recovery codes, open the link below. After you enter your password, your previous two-factor authentication is removed.`,
      ],
      link: { label: 'Remove two-factor authentication', url: link },
      after: [
        `The link works once, within ${hours} hours.`,
        'If you did not expect this, do not open the link. Your two-factor authentication does not change.',
      ],
    }),
  },
)
