import { Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { takeLinkToken } from '#admin/features/shell/link-token.ts'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { setAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { minimumPassword, newPasswordProblem } from './new-password.ts'

/** `/reset-password`: where the link of the mail leads. */
export function ResetPasswordPage() {
  const t = useTranslations('accountSecurity.reset')
  const guest = useTranslations('accounts.guest')
  const router = useRouter()
  const [token] = useState(takeLinkToken)
  const look = useQuery({
    queryKey: ['resetLink', token],
    queryFn: () => api('POST /api/auth/resetPassword/look', { body: { token } }),
    enabled: token !== '',
    retry: false,
    gcTime: 0,
  })
  const spent = look.error instanceof ApiError && look.error.code === 'LinkIsNotValid' ? look.error : null
  const { field, problem, saving, onSubmit } = useContractForm({
    defaultValues: { password: '' },
    codes: { InvalidPassword: 'password' },
    check: ({ password }) => ({ password: newPasswordProblem(password) }),
    submit: async ({ password }) => {
      await api('POST /api/auth/resetPassword', { body: { token, password } })
      // All sessions have ended, this browser's, too.
      setAccount(null)
      toast.success(t('done'))
      await router.navigate({ to: '/login', replace: true })
    },
  })
  return (
    <AuthLayout title={t('title')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <FormProblem text={problem ?? (spent ? errorText(spent) : token ? null : t('noLink'))} />
          {token && !spent && (
            <>
              {look.data && (
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {t('whose', { email: look.data.email })}
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
              <Button type="submit" loading={saving} size="md">
                {t('set')}
              </Button>
            </>
          )}
          <Text size="sm" ta="center">
            <Anchor renderRoot={(props) => <Link {...props} to="/forgot-password" />}>{t('again')}</Anchor>
          </Text>
        </Stack>
      </form>
    </AuthLayout>
  )
}
