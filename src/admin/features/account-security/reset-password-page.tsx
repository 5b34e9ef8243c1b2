import { Anchor, PasswordInput, Text } from '@mantine/core'
import { Link, useRouter } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { MailedLinkForm } from '#admin/features/shell/mailed-link-form.tsx'
import { useMailedLink } from '#admin/features/shell/use-mailed-link.ts'
import { setAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { minimumPassword, newPasswordProblem } from './new-password.ts'

/** `/reset-password`: opened by a link to reset a password. */
export function ResetPasswordPage() {
  const t = useTranslations('accountSecurity.reset')
  const guest = useTranslations('accounts.guest')
  const router = useRouter()
  const link = useMailedLink('POST /api/auth/resetPassword/look')
  const { field, ...form } = useEndpointForm('POST /api/auth/resetPassword', {
    withoutSchema: true,
    values: { password: '' },
    toBody: ({ password }) => ({ token: link.token, password }),
    paths: { password: 'password' },
    codes: { InvalidPassword: 'password' },
    check: ({ password }) => ({ password: newPasswordProblem(password) }),
    saved: async () => {
      // The server has ended all sessions of the account, which may include the session of this browser.
      setAccount(null)
      toast.success(t('done'))
      await router.navigate({ to: '/login', replace: true })
    },
  })
  return (
    <MailedLinkForm
      title={t('title')}
      link={link}
      noLink={t('noLink')}
      form={form}
      action={t('set')}
      instead={
        <Anchor renderRoot={(props) => <Link {...props} to="/forgot-password" />}>{t('again')}</Anchor>
      }
    >
      {link.email && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('whose', { email: link.email })}
        </Text>
      )}
      <PasswordInput
        {...field('password')}
        label={t('password')}
        description={guest('passwordHint', { minimum: minimumPassword })}
        autoComplete="new-password"
        autoFocus
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ 'aria-label': guest('showPassword') }}
      />
    </MailedLinkForm>
  )
}
