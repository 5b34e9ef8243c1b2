import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { hasKeptWork } from '#admin/lib/kept-work.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { useSignIn } from './use-sign-in.ts'

const route = getRouteApi('/guest/login')

/** `/login` */
export function LoginPage() {
  const t = useTranslations('accounts.guest')
  const search = route.useSearch()
  const signIn = useSignIn(search.redirect)
  const [keptWork] = useState(hasKeptWork)
  const { field, problem, saving, onSubmit } = useContractForm({
    defaultValues: { email: '', password: '' },
    texts: { IncorrectPassword: t('wrongLogin') },
    check: ({ email, password }) => ({
      email: email.trim() ? null : issueText({ code: 'Required' }),
      password: password ? null : issueText({ code: 'Required' }),
    }),
    submit: async ({ email, password }) => {
      const { user } = await api('POST /api/auth/login', { body: { email: email.trim(), password } })
      if (user) await signIn(user)
    },
  })

  return (
    <AuthLayout title={t('login')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          {search.redirect && (
            <Text size="sm" {...(keptWork ? {} : { c: 'dimmed' })}>
              {keptWork ? t('workIsKept') : t('loginFirst')}
            </Text>
          )}
          <FormProblem text={problem} />
          <TextInput
            {...field('email')}
            label={t('email')}
            type="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
          />
          <PasswordInput
            {...field('password')}
            label={t('password')}
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          />
          <Button type="submit" loading={saving} mt="xs" size="md">
            {t('login')}
          </Button>
          <Text size="sm" ta="center">
            {t('noAccount')}{' '}
            <Anchor renderRoot={(props) => <Link {...props} to="/sign-up" search={search} />}>
              {t('signUp')}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </AuthLayout>
  )
}
