import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { useSignIn } from '#admin/features/shell/use-sign-in.ts'
import { visitorLanguage } from '#admin/i18n/visitor-language.ts'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { NoMailNote } from '#admin/ui/no-mail-note.tsx'
import { pathOfJoined } from './path-of-joined.ts'
import { signupStateQuery } from './signup-state.ts'

const route = getRouteApi('/guest/sign-up')
const minimumPassword = 10

/** `/sign-up` */
export function SignUpPage() {
  const t = useTranslations('accounts.guest')
  const refusals = useTranslations('server-error')
  const search = route.useSearch()
  const signIn = useSignIn(search.redirect)
  const { data: state } = useQuery(signupStateQuery())
  const isFirst = state?.firstAccount
  const isClosed = state?.signup === 'closed' || (state?.signup === 'invited' && !search['invitation-code'])
  const code = search['invitation-code']
  const invited = useQuery({
    queryKey: ['invitation', code],
    queryFn: async () => (await api('POST /api/invitation/look', { body: { code: code ?? '' } })).invitation,
    enabled: code !== undefined,
    retry: false,
  }).data
  const sendsMail = useSendsMail()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { values, set, field, problem, saving, formProps } = useEndpointForm('POST /api/auth/signup', {
    withoutSchema: true,
    values: { name: '', email: '', password: '' },
    toBody: ({ name, email, password }) => ({
      email: email.trim(),
      password,
      ...(name.trim() ? { name: name.trim() } : {}),
      language: visitorLanguage(),
      ...(code ? { invitationCode: code } : {}),
    }),
    paths: { name: 'name', email: 'email', password: 'password' },
    codes: { EmailIsAlreadyInUse: 'email', InvalidPassword: 'password' },
    check: ({ email, password }) => ({
      email: emailProblem(email.trim()),
      password:
        [...password].length >= minimumPassword
          ? null
          : issueText({ code: 'TooFewCharacters', params: { minimum: minimumPassword } }),
    }),
    saved: async ({ account, joined }, { email }) => {
      // If the response has no `account`, the server verifies the address before it creates an account. The response
      // does not reveal whether the address already has an account.
      if (!account) return setSentTo(email.trim())
      await signIn(account, joined ? pathOfJoined(joined) : undefined)
    },
  })

  // The invited address is filled in once and stays editable.
  const [filled, setFilled] = useState(false)
  if (invited?.email && !filled) {
    setFilled(true)
    if (values.email === '') set('email', invited.email)
  }

  function emailProblem(email: string): string | null {
    if (email === '') return issueText({ code: 'Required' })
    return /^\S+@\S+$/.test(email) ? null : t('emailFormat')
  }

  if (sentTo !== null)
    return (
      <AuthLayout title={t('signUp')}>
        <Stack gap="md">
          <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
            {t(sendsMail ? 'checkMail' : 'askForMail', { email: sentTo })}
          </Text>
          {!sendsMail && <NoMailNote />}
          <ToLogin search={search} />
        </Stack>
      </AuthLayout>
    )
  if (isClosed)
    return (
      <AuthLayout title={t('signUp')}>
        <Stack gap="md">
          <Text size="sm">
            {refusals(state.signup === 'closed' ? 'SignupIsClosed' : 'InvitationRequired')}
          </Text>
          <ToLogin search={search} />
        </Stack>
      </AuthLayout>
    )
  return (
    <AuthLayout title={t('signUp')}>
      <form {...formProps}>
        <FormStack>
          {isFirst && (
            <Text size="sm" c="dimmed">
              {t('firstIsAdmin')}
            </Text>
          )}
          <FormProblem text={problem} />
          {problem && code && (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link {...props} to="/sign-up" search={{ ...search, 'invitation-code': undefined }} />
              )}
            >
              {t('withoutInvitation')}
            </Anchor>
          )}
          <TextInput
            {...field('name')}
            label={t('name')}
            description={t('nameHint')}
            autoComplete="name"
            autoFocus
          />
          <TextInput
            {...field('email')}
            label={t('email')}
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
          />
          <PasswordInput
            {...field('password')}
            label={t('password')}
            description={t('passwordHint', { minimum: minimumPassword })}
            autoComplete="new-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          />
          <Button type="submit" loading={saving} mt="xs" size="md">
            {t('createAccount')}
          </Button>
          {!isFirst && (
            <Text size="sm" ta="center">
              {t('haveAccount')}{' '}
              <Anchor renderRoot={(props) => <Link {...props} to="/login" search={search} />}>
                {t('login')}
              </Anchor>
            </Text>
          )}
        </FormStack>
      </form>
    </AuthLayout>
  )
}

function ToLogin({ search }: { search: ReturnType<typeof route.useSearch> }) {
  const t = useTranslations('accounts.guest')
  return (
    <Text size="sm">
      <Anchor renderRoot={(props) => <Link {...props} to="/login" search={search} />}>{t('login')}</Anchor>
    </Text>
  )
}
