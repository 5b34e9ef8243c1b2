import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { takeLinkToken } from '#admin/features/shell/link-token.ts'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { checkAccount, useAccount } from '#admin/lib/session.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'

/**
 * `/confirm`: verifies an email address or confirms its change. It requires a click, because mail scanners open links
 * too.
 */
export function ConfirmPage() {
  const t = useTranslations('accountSecurity.confirm')
  const account = useAccount()
  const [token] = useState(takeLinkToken)
  const confirm = useMutation({
    mutationFn: () => api('POST /api/auth/confirm', { body: { token } }),
    onSuccess: async () => {
      if (account) await checkAccount({ force: true })
    },
  })
  const { data } = confirm
  const problem = confirm.error ? errorText(confirm.error) : token ? null : t('noLink')
  return (
    <AuthLayout title={data ? t(data.isComplete ? 'done' : 'halfDone') : t('title')}>
      <Stack gap="md">
        <FormProblem text={problem} />
        {!data && token && !confirm.error && (
          <>
            <Text size="sm">{t('text')}</Text>
            <Button size="md" loading={confirm.isPending} onClick={() => confirm.mutate()}>
              {t('confirm')}
            </Button>
          </>
        )}
        {data && (
          <Text size="sm" role="status">
            {data.isChange
              ? t(data.isComplete ? 'changed' : 'otherHalf', { email: data.email })
              : t('confirmed', { email: data.email })}
          </Text>
        )}
        {(data || problem) && (
          <Anchor
            size="sm"
            renderRoot={(props) => <Link {...props} to={account ? '/account/security' : '/login'} />}
          >
            {t(account ? 'toAccount' : 'toLogin')}
          </Anchor>
        )}
      </Stack>
    </AuthLayout>
  )
}
