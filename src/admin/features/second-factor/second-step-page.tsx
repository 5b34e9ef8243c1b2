import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { knowsPasskeys, signInByPasskey } from '#admin/features/shell/passkey-sign-in.ts'
import { keepChallenge, keptChallenge } from '#admin/features/shell/sign-in-challenge.ts'
import { useSignIn } from '#admin/features/shell/use-sign-in.ts'
import { api } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'

/** `/two-factor-authentication`: asks for the second factor after the password. */
export function SecondStepPage() {
  const t = useTranslations('secondFactor.step')
  const [challenge] = useState(keptChallenge)
  const [byRecovery, setByRecovery] = useState(false)
  return (
    <AuthLayout title={t('title')}>
      <Stack gap="md">
        {challenge ? (
          <>
            {knowsPasskeys() && <ByPasskey challenge={challenge} />}
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
        {challenge && (
          <Text size="xs" c="dimmed">
            {t('lost')}
          </Text>
        )}
        <Text size="sm" ta="center">
          <Anchor renderRoot={(props) => <Link {...props} to="/login" />}>{t('toLogin')}</Anchor>
        </Text>
      </Stack>
    </AuthLayout>
  )
}

/**
 * A button to use a passkey. Renders nothing if the account has no passkey. The request for passkey options does not
 * use up the pending sign-in.
 */
function ByPasskey({ challenge }: Pick<CodeFormProps, 'challenge'>) {
  const t = useTranslations('secondFactor.step')
  const signIn = useSignIn(challenge.redirect)
  const body = { authenticatingUserId: challenge.id }
  const { data } = useQuery({
    queryKey: ['passkeyOptions', challenge.id],
    queryFn: () => api('POST /api/auth/passkeyOptions', { body }),
    retry: false,
  })
  const use = useMutation({
    mutationFn: async () => {
      const user = await signInByPasskey(challenge.id)
      if (!user) return
      keepChallenge(null)
      await signIn(user)
    },
    meta: { ownErrors: true },
  })
  if (!data?.options) return null
  return (
    <>
      <FormProblem text={use.error && errorText(use.error)} />
      <Button variant="default" size="md" loading={use.isPending} onClick={() => use.mutate()}>
        {t('byPasskey')}
      </Button>
    </>
  )
}

interface CodeFormProps {
  challenge: { id: string; redirect?: string }
  byRecovery: boolean
}

function CodeForm({ challenge, byRecovery }: CodeFormProps) {
  const t = useTranslations('secondFactor.step')
  const signIn = useSignIn(challenge.redirect)
  const { field, problem, saving, formProps } = useEndpointForm('POST /api/auth/secondFactor', {
    withoutSchema: true,
    values: { code: '' },
    toBody: ({ code }) => ({ authenticatingUserId: challenge.id, code: code.trim() }),
    paths: { code: 'code' },
    codes: { IncorrectCode: 'code' },
    check: ({ code }) => ({ code: code.trim() ? null : issueText({ code: 'Required' }) }),
    saved: async ({ user }) => {
      keepChallenge(null)
      await signIn(user)
    },
  })
  return (
    <form {...formProps}>
      <FormStack>
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
      </FormStack>
    </form>
  )
}
