import { Anchor, PasswordInput, Text } from '@mantine/core'
import { Link, useRouter } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { MailedLinkForm } from '#admin/features/shell/mailed-link-form.tsx'
import { useMailedLink } from '#admin/features/shell/use-mailed-link.ts'
import { issueText } from '#admin/lib/errors.ts'
import { setAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'

/**
 * `/two-factor-authentication/reset`: lets users who lost their second factor remove it with a mailed link and their
 * password.
 */
export function ResetFactorPage() {
  const t = useTranslations('secondFactor.reset')
  const factor = useTranslations('secondFactor')
  const links = useTranslations('accountSecurity.confirm')
  const guest = useTranslations('accounts.guest')
  const router = useRouter()
  const link = useMailedLink('POST /api/auth/resetPassword/look')
  const { field, ...form } = useEndpointForm('POST /api/auth/resetSecondFactor', {
    withoutSchema: true,
    values: { password: '' },
    toBody: ({ password }) => ({ token: link.token, password }),
    paths: { password: 'password' },
    codes: { IncorrectPassword: 'password' },
    check: ({ password }) => ({ password: password ? null : issueText({ code: 'Required' }) }),
    saved: async () => {
      // The server has ended all sessions of the account, which may include the session of this browser.
      setAccount(null)
      toast.success(t('done'))
      await router.navigate({ to: '/login', search: { redirect: '/account/two-factor' }, replace: true })
    },
  })
  return (
    <MailedLinkForm
      title={t('title')}
      link={link}
      noLink={links('noLink')}
      form={form}
      action={t('remove')}
      instead={<Anchor renderRoot={(props) => <Link {...props} to="/login" />}>{links('toLogin')}</Anchor>}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t('text', { email: link.email ?? '…' })}
      </Text>
      <PasswordInput
        {...field('password')}
        label={factor('password')}
        autoComplete="current-password"
        autoFocus
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ 'aria-label': guest('showPassword') }}
      />
    </MailedLinkForm>
  )
}
