import { Anchor, PasswordInput, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { MailedLinkForm } from '#admin/features/shell/mailed-link-form.tsx'
import { useMailedLink } from '#admin/features/shell/use-mailed-link.ts'
import { useSignIn } from '#admin/features/shell/use-sign-in.ts'
import { issueText } from '#admin/lib/errors.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { pathOfJoined } from './path-of-joined.ts'

/**
 * `/sign-up/finish`: the page that the mailed link opens if email addresses are verified before accounts are created.
 */
export function FinishSignUpPage() {
  const t = useTranslations('accounts.finish')
  const guest = useTranslations('accounts.guest')
  const signIn = useSignIn(undefined)
  const link = useMailedLink('POST /api/auth/signup/look')
  const { field, ...form } = useEndpointForm('POST /api/auth/signup/finish', {
    withoutSchema: true,
    values: { password: '' },
    toBody: ({ password }) => ({ token: link.token, password }),
    paths: { password: 'password' },
    texts: { IncorrectPassword: t('wrong') },
    check: ({ password }) => ({ password: password ? null : issueText({ code: 'Required' }) }),
    saved: ({ account, joined }) => signIn(account, joined ? pathOfJoined(joined) : undefined),
  })
  return (
    <MailedLinkForm
      title={t('title')}
      link={link}
      noLink={t('noLink')}
      form={form}
      action={t('finish')}
      instead={<Anchor renderRoot={(props) => <Link {...props} to="/sign-up" />}>{t('again')}</Anchor>}
    >
      {link.email && (
        <>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {t('text', { email: link.email })}
          </Text>
          {/* Password managers read from this input which account the password belongs to. */}
          <TextInput value={link.email} readOnly autoComplete="username" display="none" />
        </>
      )}
      <PasswordInput
        {...field('password')}
        label={guest('password')}
        autoComplete="current-password"
        autoFocus
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ 'aria-label': guest('showPassword') }}
      />
    </MailedLinkForm>
  )
}
