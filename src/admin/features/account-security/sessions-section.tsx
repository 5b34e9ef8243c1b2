import { Button, Text } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import type { Account } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { AccountSession } from '#shared/contract/account-security.ts'
import { accountSecurityQuery } from './account-security.queries.ts'
import { deviceName } from './device-name.ts'
import classes from './sessions.module.css'

/** Lists the sessions of the account. All but the current session can be ended here. */
export function SessionsSection({ account, sessions }: { account: Account; sessions: AccountSession[] }) {
  const t = useTranslations('accountSecurity.sessions')
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries(accountSecurityQuery(account._id))
  const endOthers = () =>
    confirm({
      title: t('endOthers'),
      message: t('endOthersText'),
      action: t('end'),
      run: async () => {
        await api('DELETE /api/account/{id}/session', { params: { id: account._id } })
        await refresh()
        toast.success(t('othersEnded'))
      },
    })
  return (
    <Section
      title={t('title')}
      description={t('text')}
      actions={
        sessions.length > 1 && (
          <Button variant="default" onClick={endOthers}>
            {t('endOthers')}
          </Button>
        )
      }
    >
      <ul className={classes.list} aria-label={t('title')}>
        {sessions.map((session) => (
          <SessionItem key={session._id} account={account} session={session} refresh={refresh} />
        ))}
      </ul>
    </Section>
  )
}

interface SessionItemProps {
  account: Account
  session: AccountSession
  refresh: () => Promise<void>
}

function SessionItem({ account, session, refresh }: SessionItemProps) {
  const t = useTranslations('accountSecurity.sessions')
  const format = useFormatter()
  const end = useMutation({
    mutationFn: () =>
      api('DELETE /api/account/{id}/session/{session}', {
        params: { id: account._id, session: session._id },
      }),
    onSuccess: () => toast.success(t('ended')),
    onError: (error) => toast.error(errorText(error)),
    onSettled: refresh,
  })
  const device = deviceName(session.userAgent)
  const name =
    device === null
      ? t('unknown')
      : device.browser && device.system
        ? t('device', { browser: device.browser, system: device.system })
        : (device.browser ?? device.system ?? '')
  const time = (text: string) => format.dateTime(new Date(text), { dateStyle: 'medium', timeStyle: 'short' })
  const isPhone = /iPhone|Android/.test(session.userAgent)
  const Icon = isPhone ? IconDeviceMobile : IconDeviceDesktop
  return (
    <li className={classes.row}>
      <Icon size={22} stroke={1.5} aria-hidden="true" />
      <div className={classes.about}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {session.isCurrent ? t('present') : t('lastUsed', { time: time(session.lastSeenAt) })}
          {session.ip && ` · ${session.ip}`}
          {` · ${t('since', { time: time(session.createdAt) })}`}
        </Text>
      </div>
      {!session.isCurrent && (
        <Button
          variant="default"
          size="compact-md"
          loading={end.isPending}
          aria-label={t('endOf', { name })}
          onClick={() => end.mutate()}
        >
          {t('end')}
        </Button>
      )}
    </li>
  )
}
