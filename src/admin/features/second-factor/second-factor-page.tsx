import { Button, Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { AccountTabs } from '#admin/features/shell/account-tabs.tsx'
import { PasswordStep } from '#admin/features/shell/password-step.tsx'
import { VerifyAddress } from '#admin/features/shell/verify-address.tsx'
import { api } from '#admin/lib/api.ts'
import { type Account, useAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { StateChip } from '#admin/ui/state-chip.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { Passkey } from '#shared/contract/second-factor.ts'
import { PasskeysSection } from './passkeys-section.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { secondFactorQuery } from './second-factor.queries.ts'
import { TotpSetup } from './totp-setup.tsx'

/** `/account/two-factor`: the second factor of the user's own account. */
export function SecondFactorPage() {
  const t = useTranslations('secondFactor')
  const account = useAccount()
  const { data, error, refetch } = useQuery({
    ...secondFactorQuery(account?._id ?? ''),
    enabled: account !== null,
  })
  if (!account) return null
  return (
    <Page title={t('title')} description={t('text')} width="narrow">
      <AccountTabs />
      {!data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonList rows={2} height={160} />}
      {data && (
        <Factors
          account={account}
          totp={data.totp}
          codesLeft={data.recoveryCodesLeft}
          passkeys={data.passkeys}
        />
      )}
    </Page>
  )
}

type Doing = null | 'app' | 'codes' | 'off'

interface FactorsProps {
  account: Account
  totp: boolean
  codesLeft: number
  passkeys: Passkey[]
}

function Factors({ account, totp, codesLeft, passkeys }: FactorsProps) {
  const t = useTranslations('secondFactor')
  const queryClient = useQueryClient()
  const [doing, setDoing] = useState<Doing>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const params = { id: account._id }
  const close = () => setDoing(null)
  const refresh = () => queryClient.invalidateQueries(secondFactorQuery(account._id))

  if (codes)
    return (
      <RecoveryCodes
        codes={codes}
        email={account.email}
        done={() => {
          setCodes(null)
          close()
        }}
      />
    )
  if (!account.emailVerified && !totp && passkeys.length === 0)
    return (
      <Section title={t('verifyFirst')} description={t('verifyFirstText', { email: account.email })}>
        <VerifyAddress account={account} />
      </Section>
    )
  return (
    <>
      <Section title={t('app.title')} description={t('app.text')}>
        <Stack gap="md">
          <Group>
            <StateChip
              color={totp ? 'mizu' : 'gray'}
              icon={totp ? IconCircleCheck : IconCircleDashed}
              text={t(totp ? 'on' : 'off')}
            />
          </Group>
          {doing === 'app' && (
            <TotpSetup
              account={account}
              close={close}
              done={async (recoveryCodes) => {
                setCodes(recoveryCodes)
                await refresh()
              }}
            />
          )}
          {doing === 'off' && (
            <PasswordStep
              text={t('app.offText')}
              action={t('app.turnOff')}
              danger
              close={close}
              submit={async (password) => {
                await api('POST /api/account/{id}/secondFactor/disable', { params, body: { password } })
                await refresh()
                toast.success(t('app.turnedOff'))
                close()
              }}
            />
          )}
          {doing === null && (
            <Group>
              {totp ? (
                <Button variant="light" color="red" onClick={() => setDoing('off')}>
                  {t('app.turnOff')}
                </Button>
              ) : (
                <Button onClick={() => setDoing('app')}>{t('app.turnOn')}</Button>
              )}
            </Group>
          )}
        </Stack>
      </Section>
      <PasskeysSection account={account} passkeys={passkeys} showCodes={setCodes} />
      {(totp || passkeys.length > 0) && (
        <Section title={t('codes.title')} description={t('codes.text')}>
          <Stack gap="md">
            <Text size="sm" {...(codesLeft < 3 ? { c: 'var(--mantine-color-error)' } : {})}>
              {t('codes.left', { count: codesLeft })}
            </Text>
            {doing === 'codes' ? (
              <PasswordStep
                text={t('codes.renewText')}
                action={t('codes.renew')}
                close={close}
                submit={async (password) => {
                  const path = 'POST /api/account/{id}/secondFactor/recoveryCodes'
                  setCodes((await api(path, { params, body: { password } })).recoveryCodes)
                  await refresh()
                }}
              />
            ) : (
              <Group>
                <Button variant="default" disabled={doing !== null} onClick={() => setDoing('codes')}>
                  {t('codes.renew')}
                </Button>
              </Group>
            )}
          </Stack>
        </Section>
      )}
    </>
  )
}
