import { Alert, Button, Group, Stack } from '@mantine/core'
import { IconAlertTriangle, IconClock, IconPencil } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Fact, Facts } from '#admin/ui/facts.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { Forbidden } from './forbidden.tsx'
import { WebhookDeliveryLog } from './log/delivery-log.tsx'
import { TestButton } from './log/test-button.tsx'
import { useRedeliver } from './log/use-redeliver.ts'
import { SecretSection } from './secret-section.tsx'
import { useScope } from './use-scope.ts'
import { useSwitch } from './use-switch.ts'
import { hostOf, useEndWords, useIsOver, WebhookState } from './webhook-state.tsx'
import { forgetWebhook, webhookQuery } from './webhooks.queries.ts'

const route = getRouteApi('/signed-in/$p/settings/-/webhooks/$webhook')

/** `/{p}/-/webhooks/{webhook}` */
export function WebhookPage() {
  const { p, webhook } = route.useParams()
  return useCanInSpace(p)('webhook.manage') ? <OneWebhook key={webhook} p={p} id={webhook} /> : <Forbidden />
}

function OneWebhook({ p, id }: { p: string; id: string }) {
  const t = useTranslations('webhooks')
  const common = useTranslations('common')
  const { data: webhook, error, refetch } = useQuery(webhookQuery(p, id))
  if (!webhook)
    return (
      <Page title={t('title')}>
        {error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />}
      </Page>
    )
  return (
    <Page
      title={webhook.name}
      description={hostOf(webhook.url)}
      actions={
        <>
          <Button variant="default" component={Link} to={`/${p}/-/webhooks`}>
            {t('list')}
          </Button>
          <Button variant="default" component={Link} to={`/${p}/-/webhooks/new?from=${id}`}>
            {t('duplicate')}
          </Button>
          <Button component={Link} to={`/${p}/-/webhooks/${id}/edit`} leftSection={<IconPencil size={16} />}>
            {common('edit')}
          </Button>
        </>
      }
    >
      <LoadProblem error={error} retry={() => void refetch()} />
      <About p={p} webhook={webhook} />
      <WebhookDeliveryLog p={p} webhook={webhook} />
      <SecretSection p={p} webhook={webhook} />
      <Delete p={p} webhook={webhook} />
    </Page>
  )
}

/** The state and the settings of a webhook, with buttons to test and to switch it. */
export function About({ p, webhook }: { p: string; webhook: Webhook }) {
  const t = useTranslations('webhooks')
  const format = useFormatter()
  const common = useTranslations('common')
  const { enabled, paused, waiting, batchSeconds, events, createdBy, last } = webhook
  const { retryAfter, disabledAt, failingSince } = webhook
  const isOver = useIsOver(webhook)
  const end = useEndWords()
  const turn = useSwitch(p, webhook)
  // Redelivery ends a pause, and the time for which the receiver asked to wait.
  const tryNow = useRedeliver(p, webhook)
  const date = (at: string) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })
  const scope = useScope(p, webhook)
  const isHeld = enabled && retryAfter !== null && !isOver(retryAfter)
  const canTry = enabled && (paused || (waiting > 0 && (failingSince || isHeld)))
  return (
    <Section title={t('about.title')}>
      <Stack gap="md">
        <Group gap="xs">
          <WebhookState webhook={webhook} />
        </Group>
        {enabled && paused && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />}>
            {failingSince && `${t('about.failing', { since: date(failingSince) })} `}
            {t('about.paused', { since: date(paused.since) })}{' '}
            {isOver(paused.until)
              ? t('about.pauseEnded')
              : t('about.pausedUntil', { until: end(paused.until) })}
          </Alert>
        )}
        {enabled && !paused && failingSince && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />}>
            {t('about.failing', { since: date(failingSince) })} {waiting > 0 && !isHeld && t('about.retried')}
          </Alert>
        )}
        {disabledAt && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />}>
            {t('about.gone', { at: date(disabledAt) })}
          </Alert>
        )}
        {!enabled && waiting > 0 && (
          <Alert color="orange" variant="light" icon={<IconClock size={18} />}>
            {t('about.disabledWaiting', { count: waiting })}
          </Alert>
        )}
        {isHeld && !paused && (
          <Alert color="orange" variant="light" icon={<IconClock size={18} />}>
            {t('about.held', { until: end(retryAfter) })}
          </Alert>
        )}
        <Facts>
          <Fact name={t('about.events')}>
            {format.list(events.map((event) => t(`events.${event}.name`)))}
          </Fact>
          <Fact name={t('about.targets')}>{scope}</Fact>
          <Fact name={t('about.batch')}>
            {batchSeconds > 0 ? t('about.batched', { count: batchSeconds }) : t('about.atOnce')}
          </Fact>
          {createdBy && <Fact name={t('about.createdBy')}>{createdBy.name ?? common('nameless')}</Fact>}
          <Fact name={t('about.last')}>
            {last ? t(`about.${last.state}`, { time: date(last.at) }) : t('last.none')}
          </Fact>
        </Facts>
        <TestButton p={p} webhook={webhook}>
          {canTry && (
            <Button
              variant="default"
              loading={tryNow.isPending}
              onClick={() => tryNow.mutate({ state: 'retrying' })}
            >
              {t('about.tryNow')}
            </Button>
          )}
          <Button variant="default" loading={turn.asked !== null} onClick={() => turn.to(!enabled)}>
            {enabled ? t('about.disable') : t('about.enable')}
          </Button>
        </TestButton>
      </Stack>
    </Section>
  )
}

function Delete({ p, webhook }: { p: string; webhook: Webhook }) {
  const t = useTranslations('webhooks.delete')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { _id: id, name } = webhook
  return (
    <Section title={t('title')} description={t('text')} danger>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        onClick={() =>
          confirm({
            title: t('title'),
            message: t('confirm', { name, count: webhook.waiting }),
            action: t('action'),
            danger: true,
            run: async () => {
              await api('DELETE /api/project/{p}/webhook/{id}', { params: { p, id } })
              toast.success(t('done', { name }))
              // The webhook no longer exists, so the page must not ask about an unsaved secret.
              await navigate({ to: '/$p/-/webhooks', params: { p }, ignoreBlocker: true })
              await forgetWebhook(queryClient, p)
            },
          })
        }
      >
        {t('action')}
      </Button>
    </Section>
  )
}
