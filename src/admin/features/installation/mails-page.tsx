import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconMail, IconMailForward } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { ApiError, type ApiResponse, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { CopyButton } from '#admin/ui/copy-field.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { KeptMail } from '#shared/contract/installation.ts'
import { keptMailsQuery } from './installation.queries.ts'
import classes from './mails.module.css'

type KeptMails = ApiResponse<'GET /api/admin/mails'>

/**
 * `/admin/mails`: mails that could not be sent, because no mail server is configured or because the mail server failed.
 */
export function MailsPage() {
  const t = useTranslations('installation.mails')
  const { data, error, refetch } = useQuery(keptMailsQuery())
  return (
    <Page title={t('title')} description={t('text')}>
      {!data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonList rows={3} height={72} />}
      {data?.isSent && data.troubles && <Troubles {...data.troubles} />}
      {data?.isSent && !data.troubles && (
        <EmptyState
          icon={<IconMailForward size={36} stroke={1.4} aria-hidden="true" />}
          title={t('sent.title')}
          text={t('sent.text')}
        />
      )}
      {data?.isSent && <TestMail />}
      {data && !data.isSent && (
        <>
          <Alert color="mizu" variant="light" mb="md" title={t('unsent.title')}>
            {t('unsent.text')}
          </Alert>
          {data.mails.length === 0 && (
            <EmptyState
              icon={<IconMail size={36} stroke={1.4} aria-hidden="true" />}
              title={t('empty.title')}
              text={t('empty.text')}
            />
          )}
          <ul className={classes.list} aria-label={t('title')}>
            {data.mails.map((mail) => (
              <MailItem key={mail._id} mail={mail} />
            ))}
          </ul>
        </>
      )}
    </Page>
  )
}

function Troubles({ waiting, givenUp, error }: NonNullable<KeptMails['troubles']>) {
  const t = useTranslations('installation.mails.troubles')
  return (
    <Alert
      color="red"
      variant="light"
      mb="md"
      role="alert"
      icon={<IconAlertTriangle size={18} />}
      title={t('title')}
    >
      {waiting > 0 && <Text size="sm">{t('waiting', { count: waiting })}</Text>}
      {givenUp > 0 && <Text size="sm">{t('givenUp', { count: givenUp })}</Text>}
      {error && (
        <Text size="sm">
          {errorText(new ApiError(503, { code: error.code }))} {t('answer', { message: error.message })}
        </Text>
      )}
    </Alert>
  )
}

/** Sends a test mail and waits for the mail server's response, which shows the admin what to fix. */
function TestMail() {
  const t = useTranslations('installation.mails')
  const send = useMutation({
    mutationFn: () => api('POST /api/admin/mails/test', {}),
    onError: (error) => toast.error(errorText(error)),
  })
  const { to = '', problem = null } = send.data ?? {}
  return (
    <>
      <Group justify="center" mb="md">
        <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
          {t('test.action')}
        </Button>
      </Group>
      {send.data && (
        <Alert variant="light" role="status" color={problem ? 'red' : 'green'}>
          {problem ? t('test.failed') : t('test.sent', { email: to })}
          {problem && (
            <Text size="sm">
              {errorText(new ApiError(503, { code: problem.code }))}{' '}
              {t('troubles.answer', { message: problem.message })}
            </Text>
          )}
        </Alert>
      )}
    </>
  )
}

function MailItem({ mail }: { mail: KeptMail }) {
  const t = useTranslations('installation.mails')
  const common = useTranslations('common')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const [open, setOpen] = useState(false)
  const remove = useMutation({
    mutationFn: () => api('DELETE /api/admin/mails/{id}', { params: { id: mail._id } }),
    onError: (error) => toast.error(errorText(error)),
    onSettled: () => queryClient.invalidateQueries(keptMailsQuery()),
  })
  return (
    <li className={classes.row}>
      <div className={classes.about}>
        <Text fw={600}>{mail.subject}</Text>
        <Text size="sm" c="dimmed">
          {t('to', { email: mail.to })}
          {' · '}
          {format.dateTime(new Date(mail.createdAt), { dateStyle: 'medium', timeStyle: 'short' })}
        </Text>
        {open && (
          <pre className={classes.text} lang={mail.language}>
            {mail.text}
          </pre>
        )}
      </div>
      <div className={classes.actions}>
        <Button
          variant="default"
          size="compact-md"
          aria-expanded={open}
          aria-label={t(open ? 'hideOf' : 'showOf', { subject: mail.subject, email: mail.to })}
          onClick={() => setOpen(!open)}
        >
          {t(open ? 'hide' : 'show')}
        </Button>
        <CopyButton value={mail.text} label={t('copyOf', { subject: mail.subject, email: mail.to })} />
        <Button
          variant="default"
          size="compact-md"
          loading={remove.isPending}
          aria-label={t('deleteOf', { subject: mail.subject, email: mail.to })}
          onClick={() => remove.mutate()}
        >
          {common('delete')}
        </Button>
      </div>
    </li>
  )
}
