import { Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { takeLinkToken } from '#admin/features/shell/link-token.ts'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { setAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'

/** `/two-factor-authentication/reset`: who has lost their second factor removes it, with their password. */
export function ResetFactorPage() {
  const t = useTranslations('secondFactor.reset')
  const factor = useTranslations('secondFactor')
  const links = useTranslations('accountSecurity.confirm')
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
    codes: { IncorrectPassword: 'password' },
    check: ({ password }) => ({ password: password ? null : issueText({ code: 'Required' }) }),
    submit: async ({ password }) => {
      await api('POST /api/auth/resetSecondFactor', { body: { token, password } })
      // All sessions have ended, this browser's, too.
      setAccount(null)
      toast.success(t('done'))
      await router.navigate({ to: '/login', search: { redirect: '/account/two-factor' }, replace: true })
    },
  })
  return (
    <AuthLayout title={t('title')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <FormProblem text={problem ?? (spent ? errorText(spent) : token ? null : links('noLink'))} />
          {token && !spent && (
            <>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {t('text', { email: look.data?.email ?? '…' })}
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
              <Button type="submit" loading={saving} size="md">
                {t('remove')}
              </Button>
            </>
          )}
          <Text size="sm" ta="center">
            <Anchor renderRoot={(props) => <Link {...props} to="/login" />}>{links('toLogin')}</Anchor>
          </Text>
        </Stack>
      </form>
    </AuthLayout>
  )
}
