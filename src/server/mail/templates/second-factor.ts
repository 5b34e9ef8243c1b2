import { z } from 'zod'
import { defineMail, linkValue } from '../mail-text.ts'
import { nameValue } from '../safe-name.ts'

/** To whose second factor was turned on or off. */
export const secondFactorChanged = defineMail(
  z.object({ name: nameValue, isOn: z.boolean(), link: linkValue }),
  {
    ja: ({ name, isOn, link }) => ({
      subject: isOn ? '2段階認証を有効にしました' : '2段階認証を無効にしました',
      paragraphs: [
        ...(name ? [`${name} 様`] : []),
        isOn
          ? 'Imoriのアカウントの2段階認証が有効になりました。次回のログインから、パスワードに加えて認証コードが必要です。'
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
          ? 'Two-factor authentication was turned on for your Imori account. From your next sign-in you will need a code in addition to your password.'
          : 'Two-factor authentication was turned off for your Imori account. From now on, your password alone is enough to sign in.',
        'If this was not you, reset your password on the page below and tell the administrator of this Imori.',
      ],
      link: { label: 'Reset password', url: link },
    }),
  },
)
