import { Anchor, Button, PasswordInput, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { knowsPasskeys, signInByPasskey } from '#admin/features/shell/passkey-sign-in.ts'
import { keepChallenge } from '#admin/features/shell/sign-in-challenge.ts'
import { useSignIn } from '#admin/features/shell/use-sign-in.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { hasKeptWork } from '#admin/lib/kept-work.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { signupStateQuery } from './signup-state.ts'

const route = getRouteApi('/guest/login')

/** `/login` */
export function LoginPage() {
  const t = useTranslations('accounts.guest')
  const search = route.useSearch()
  const router = useRouter()
  const signIn = useSignIn(search.redirect)
  const signup = useQuery(signupStateQuery()).data?.signup
  const maySignUp = signup === 'open' || (signup === 'invited' && search['invitation-code'] !== undefined)
  const [keptWork] = useState(hasKeptWork)
  const { field, problem, saving, formProps } = useEndpointForm('POST /api/auth/login', {
    withoutSchema: true,
    values: { email: '', password: '' },
    toBody: ({ email, password }) => ({ email: email.trim(), password }),
    paths: { email: 'email', password: 'password' },
    texts: { IncorrectPassword: t('wrongLogin') },
    check: ({ email, password }) => ({
      email: email.trim() ? null : issueText({ code: 'Required' }),
      password: password ? null : issueText({ code: 'Required' }),
    }),
    saved: async ({ user, authenticatingUserId }) => {
      if (user) await signIn(user)
      if (!authenticatingUserId) return
      keepChallenge({
        id: authenticatingUserId,
        ...(search.redirect ? { redirect: search.redirect } : {}),
      })
      await router.navigate({ to: '/two-factor-authentication' })
    },
  })

  return (
    <AuthLayout title={t('login')}>
      <form {...formProps}>
        <FormStack>
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
          {knowsPasskeys() && <PasskeyLogin signIn={signIn} />}
          {/*
           * This link loads a full page, because the SSO page redirects elsewhere and has its own content security
           * policy.
           */}
          <Button variant="default" size="md" component="a" href={ssoAddress(search.redirect)}>
            {t('bySso')}
          </Button>
          <Text size="sm" ta="center">
            <Anchor renderRoot={(props) => <Link {...props} to="/forgot-password" />}>
              {t('forgotPassword')}
            </Anchor>
          </Text>
          {maySignUp && (
            <Text size="sm" ta="center">
              {t('noAccount')}{' '}
              <Anchor renderRoot={(props) => <Link {...props} to="/sign-up" search={search} />}>
                {t('signUp')}
              </Anchor>
            </Text>
          )}
          {signup === 'invited' && !maySignUp && (
            <Text size="sm" c="dimmed" ta="center">
              {t('invitedOnly')}
            </Text>
          )}
        </FormStack>
      </form>
    </AuthLayout>
  )
}

const ssoAddress = (redirect: string | undefined) =>
  redirect && redirect !== '/sso/verify' ? `/sso/login?${new URLSearchParams({ redirect })}` : '/sso/login'

function PasskeyLogin({ signIn }: { signIn: ReturnType<typeof useSignIn> }) {
  const t = useTranslations('accounts.guest')
  const passkey = useMutation({
    mutationFn: async () => {
      const user = await signInByPasskey()
      if (user) await signIn(user)
    },
    meta: { ownErrors: true },
  })
  return (
    <>
      <FormProblem text={passkey.error && errorText(passkey.error)} />
      <Button variant="default" size="md" loading={passkey.isPending} onClick={() => passkey.mutate()}>
        {t('byPasskey')}
      </Button>
    </>
  )
}
