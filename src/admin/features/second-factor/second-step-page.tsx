import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { keepChallenge, keptChallenge } from '#admin/features/shell/sign-in-challenge.ts'
import { useSignIn } from '#admin/features/shell/use-sign-in.ts'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'

/** `/two-factor-authentication`: the code after the password. */
export function SecondStepPage() {
  const t = useTranslations('secondFactor.step')
  const [challenge] = useState(keptChallenge)
  const [byRecovery, setByRecovery] = useState(false)
  return (
    <AuthLayout title={t('title')}>
      <Stack gap="md">
        {challenge ? (
          <>
            <CodeForm key={String(byRecovery)} challenge={challenge} byRecovery={byRecovery} />
            <Text size="sm" ta="center">
              <Anchor component="button" type="button" onClick={() => setByRecovery(!byRecovery)}>
                {t(byRecovery ? 'byApp' : 'byRecovery')}
              </Anchor>
            </Text>
          </>
        ) : (
          <FormProblem text={t('ended')} />
        )}
        <Text size="sm" ta="center">
          <Anchor renderRoot={(props) => <Link {...props} to="/login" />}>{t('toLogin')}</Anchor>
        </Text>
      </Stack>
    </AuthLayout>
  )
}

interface CodeFormProps {
  challenge: { id: string; redirect?: string }
  byRecovery: boolean
}

function CodeForm({ challenge, byRecovery }: CodeFormProps) {
  const t = useTranslations('secondFactor.step')
  const signIn = useSignIn(challenge.redirect)
  const { field, problem, saving, onSubmit } = useContractForm({
    defaultValues: { code: '' },
    codes: { IncorrectCode: 'code' },
    check: ({ code }) => ({ code: code.trim() ? null : issueText({ code: 'Required' }) }),
    submit: async ({ code }) => {
      const body = { authenticatingUserId: challenge.id, code: code.trim() }
      const { user } = await api('POST /api/auth/secondFactor', { body })
      keepChallenge(null)
      await signIn(user)
    },
  })
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t(byRecovery ? 'recoveryText' : 'appText')}
        </Text>
        <FormProblem text={problem} />
        <TextInput
          {...field('code')}
          label={t(byRecovery ? 'recoveryCode' : 'code')}
          inputMode={byRecovery ? 'text' : 'numeric'}
          autoComplete={byRecovery ? 'off' : 'one-time-code'}
          autoCapitalize="off"
          spellCheck={false}
          autoFocus
          maxLength={64}
          size="md"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', letterSpacing: '0.1em' } }}
        />
        <Button type="submit" loading={saving} size="md">
          {t('logIn')}
        </Button>
      </Stack>
    </form>
  )
}
