import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'

/** `/forgot-password` */
export function ForgotPasswordPage() {
  const t = useTranslations('accountSecurity.forgot')
  const guest = useTranslations('accounts.guest')
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { field, problem, saving, onSubmit } = useContractForm({
    defaultValues: { email: '' },
    check: ({ email }) => ({ email: email.trim() ? null : issueText({ code: 'Required' }) }),
    submit: async ({ email }) => {
      await api('POST /api/auth/forgotPassword', { body: { email: email.trim() } })
      setSentTo(email.trim())
    },
  })
  return (
    <AuthLayout title={t('title')}>
      {sentTo === null ? (
        <form onSubmit={onSubmit} noValidate>
          <Stack gap="md">
            <Text size="sm" c="dimmed">
              {t('text')}
            </Text>
            <FormProblem text={problem} />
            <TextInput
              {...field('email')}
              label={guest('email')}
              type="email"
              autoComplete="username"
              autoFocus
              required
              withAsterisk={false}
            />
            <Button type="submit" loading={saving} size="md">
              {t('send')}
            </Button>
          </Stack>
        </form>
      ) : (
        <Text size="sm" role="status">
          {t('sent', { email: sentTo })}
        </Text>
      )}
      <Text size="sm" ta="center" mt="md">
        <Anchor renderRoot={(props) => <Link {...props} to="/login" />}>{t('toLogin')}</Anchor>
      </Text>
    </AuthLayout>
  )
}
