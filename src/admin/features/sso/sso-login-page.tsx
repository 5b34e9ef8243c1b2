import { Anchor, Button, Text, TextInput } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { ApiError } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { useForm } from '#admin/lib/use-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { goToProvider } from './sign-in.ts'

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** `/sso/login`: finds the SSO connection of a space by the domain of an email address, or by the space. */
export function SsoLoginPage() {
  const t = useTranslations('sso.login')
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const [space, error] = [textOf(search.space), textOf(search.error)]
  const [redirect, invitationCode] = [textOf(search.redirect), textOf(search['invitation-code'])]
  const [by, setBy] = useState<'email' | 'space'>(space ? 'space' : 'email')
  const { field, problem, saving, formProps } = useForm({
    values: { email: textOf(search.email), space },
    texts: { SsoNotSetUp: t(by === 'email' ? 'noneForDomain' : 'noneForSpace') },
    check: (values) => ({ [by]: values[by].trim() ? null : issueText({ code: 'Required' }) }),
    submit: async (values) => {
      try {
        await goToProvider({
          [by]: values[by].trim(),
          ...(redirect ? { redirect } : {}),
          ...(invitationCode ? { invitationCode } : {}),
          ...(search.popup ? { popup: true } : {}),
        })
      } catch (failure) {
        if (failure instanceof ApiError && failure.code === 'SsoSpaceIsNeeded') setBy('space')
        throw failure
      }
    },
  })
  const failed = error ? errorText(new ApiError(400, { code: error })) : null

  return (
    <AuthLayout title={t('title')}>
      <form {...formProps}>
        <FormStack>
          <Text size="sm" c="dimmed">
            {t(by === 'email' ? 'byEmail' : 'bySpace')}
          </Text>
          <FormProblem text={problem ?? failed} />
          {by === 'email' ? (
            <TextInput
              {...field('email')}
              key="email"
              label={t('email')}
              type="email"
              autoComplete="username"
              autoFocus
              required
              withAsterisk={false}
            />
          ) : (
            <TextInput
              {...field('space')}
              key="space"
              label={t('space')}
              description={t('spaceHint')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              autoFocus={!space}
              required
              withAsterisk={false}
            />
          )}
          <Button type="submit" loading={saving} mt="xs" size="md">
            {t('go')}
          </Button>
          <Button variant="subtle" onClick={() => setBy(by === 'email' ? 'space' : 'email')}>
            {t(by === 'email' ? 'useSpace' : 'useEmail')}
          </Button>
          <Text size="sm" ta="center">
            <Anchor
              renderRoot={(props) => <Link {...props} to="/login" search={redirect ? { redirect } : {}} />}
            >
              {t('otherwise')}
            </Anchor>
          </Text>
        </FormStack>
      </form>
    </AuthLayout>
  )
}
