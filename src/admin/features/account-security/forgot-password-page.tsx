import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { issueText } from '#admin/lib/errors.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'

/** `/forgot-password` */
export function ForgotPasswordPage() {
  const t = useTranslations('accountSecurity.forgot')
  const guest = useTranslations('accounts.guest')
  const sendsMail = useSendsMail()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { field, problem, saving, formProps } = useEndpointForm('POST /api/auth/forgotPassword', {
    withoutSchema: true,
    values: { email: '' },
    toBody: ({ email }) => ({ email: email.trim() }),
    paths: { email: 'email' },
    check: ({ email }) => ({ email: email.trim() ? null : issueText({ code: 'Required' }) }),
    saved: (_answer, { email }) => setSentTo(email.trim()),
  })
  return (
    <AuthLayout title={t('title')}>
      {sentTo === null ? (
        <form {...formProps}>
          <FormStack>
            <Text size="sm" {...(sendsMail ? { c: 'dimmed' } : {})}>
              {t(sendsMail ? 'text' : 'textNoMail')}
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
              {t(sendsMail ? 'send' : 'create')}
            </Button>
          </FormStack>
        </form>
      ) : (
        <Stack gap="md" role="status" style={{ overflowWrap: 'anywhere' }}>
          <Text size="sm">{t(sendsMail ? 'sent' : 'created', { email: sentTo })}</Text>
          {!sendsMail && (
            <Text size="sm" c="dimmed">
              {t('onlyAdmin')}
            </Text>
          )}
        </Stack>
      )}
      <Text size="sm" ta="center" mt="md">
        <Anchor renderRoot={(props) => <Link {...props} to="/login" />}>{t('toLogin')}</Anchor>
      </Text>
    </AuthLayout>
  )
}
