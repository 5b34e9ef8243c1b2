import { Alert, Button, Loader, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { safeTarget } from '#admin/features/shell/guards.ts'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { setAccount, useAccount } from '#admin/lib/session.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { connectedAddress, forgetCode, takeCode } from './sign-in.ts'
import { SsoTestPage } from './sso-test-page.tsx'

interface Finished {
  user: { _id: string } | null
  space: string
  popup: boolean
  redirect: string | null
}

/** Continues with a full page load, because the session and the window's content security policy change. */
function goOn({ user, popup, redirect, space }: Finished): void {
  forgetCode()
  location.replace(popup && user ? connectedAddress(user._id) : safeTarget(redirect ?? `/${space}`))
}

/**
 * `/sso/verify`: completes a sign-in at the identity provider, links it to an existing account, or shows the result of
 * a test sign-in.
 */
export function SsoVerifyPage() {
  const t = useTranslations('sso.verify')
  const [code] = useState(takeCode)
  const { data, error } = useQuery({
    queryKey: ['sso', 'finish', code],
    queryFn: () => api('POST /api/auth/sso/finish', { body: { code } }),
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    // When the user returns after signing in, the request must be sent again.
    gcTime: 0,
  })
  useEffect(() => {
    if (data?.user) goOn(data)
  }, [data])

  if (data?.testResult) return <SsoTestPage p={data.space} testResult={data.testResult} />
  if (data?.link) return <Connect code={code} {...data.link} />
  return (
    <AuthLayout title={error ? t('failed') : t('title')}>
      {error ? (
        <Stack gap="md">
          <FormProblem text={errorText(error)} />
          <Button renderRoot={(props) => <Link {...props} to="/sso/login" />}>{t('again')}</Button>
          <Button variant="subtle" renderRoot={(props) => <Link {...props} to="/login" />}>
            {t('otherwise')}
          </Button>
        </Stack>
      ) : (
        <Stack gap="md" align="flex-start">
          <Loader aria-hidden="true" />
          <Text role="status">{t('wait')}</Text>
        </Stack>
      )}
    </AuthLayout>
  )
}

interface ConnectProps {
  code: string
  /** Email address of the existing account. null: the identity provider named another address. */
  email: string | null
  isOwn: boolean
  spaceName: string
}

/** Links the identity to the user's existing account, after the account's owner has signed in and confirmed. */
function Connect({ code, email, isOwn, spaceName }: ConnectProps) {
  const t = useTranslations('sso.verify')
  const account = useAccount()
  const link = useMutation({
    mutationFn: () => api('POST /api/auth/sso/link', { body: { code } }),
    onSuccess: goOn,
  })
  const change = useMutation({
    mutationFn: () => api('POST /api/auth/logout', {}),
    onSuccess: () => setAccount(null),
  })
  const isOwner = account && (isOwn || account.email.toLowerCase() === email?.toLowerCase())
  return (
    <AuthLayout title={t('link.title')}>
      <Stack gap="md">
        <Text>
          {email === null
            ? t('link.textOfMember', { space: spaceName })
            : t('link.text', { email, space: spaceName })}
        </Text>
        <FormProblem text={link.error && errorText(link.error)} />
        {!account && (
          <>
            <Text size="sm" c="dimmed">
              {t('link.signInFirst')}
            </Text>
            <Button
              size="md"
              renderRoot={(props) => <Link {...props} to="/login" search={{ redirect: '/sso/verify' }} />}
            >
              {t('link.signIn')}
            </Button>
          </>
        )}
        {account && !isOwner && (
          <>
            <Alert variant="light" color="orange" icon={<IconInfoCircle size={18} />}>
              {t('link.other', { email: account.email })}
            </Alert>
            <Button size="md" loading={change.isPending} onClick={() => change.mutate()}>
              {t('link.change')}
            </Button>
          </>
        )}
        {account && isOwner && (
          <Button size="md" loading={link.isPending || link.isSuccess} onClick={() => link.mutate()}>
            {t('link.confirm')}
          </Button>
        )}
        <Text size="sm" c="dimmed">
          {t('link.meaning', { space: spaceName })}
        </Text>
      </Stack>
    </AuthLayout>
  )
}
