import { Button, Select, UnstyledButton } from '@mantine/core'
import { IconMailForward } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import { deliveryStates, type Webhook, type WebhookDelivery } from '#shared/contract/webhooks.ts'
import { useEventWords } from '../webhook-state.tsx'
import classes from '../webhooks.module.css'
import { deliveriesQuery, type LogSearch, readLogSearch } from '../webhooks.queries.ts'
import { WebhookDeliveryDrawer } from './delivery-drawer.tsx'
import { WebhookDeliveryState } from './delivery-state.tsx'
import { placeOf, subjectOf } from './delivery-words.ts'
import { useReasonWords } from './reason-words.ts'
import { RedeliverMenu } from './redeliver-menu.tsx'
import { useDue } from './use-due.ts'

/** The log of a webhook, with its filters. Each row opens a drawer. */
export function WebhookDeliveryLog({ p, webhook }: { p: string; webhook: Webhook }) {
  const t = useTranslations('webhooks.log')
  const search = readLogSearch(useSearch({ strict: false }) as Record<string, unknown>)
  return (
    <Section title={t('title')} description={t('text')} actions={<RedeliverMenu p={p} webhook={webhook} />}>
      <Filters webhook={webhook} search={search} />
      <Deliveries p={p} webhook={webhook} search={search} />
    </Section>
  )
}

function Filters({ webhook, search }: { webhook: Webhook; search: LogSearch }) {
  const t = useTranslations('webhooks')
  const navigate = useNavigate()
  const change = (part: keyof LogSearch, value: string | null) => {
    const { [part]: _, ...rest } = search
    void navigate({ search: (value ? { ...rest, [part]: value } : rest) as never, replace: true })
  }
  // The log may contain requests for events that the webhook no longer sends. So the selected event stays among the
  // options.
  const events = [...new Set([...webhook.events, 'test' as const, ...(search.event ? [search.event] : [])])]
  return (
    <search className={classes.filters} aria-label={t('log.filters')}>
      <Select
        label={t('log.state')}
        placeholder={t('log.all')}
        data={deliveryStates.map((value) => ({ value, label: t(`log.filter.${value}`) }))}
        value={search.state ?? null}
        onChange={(value) => change('state', value)}
        clearable
        clearButtonProps={{ 'aria-label': t('log.clear') }}
      />
      <Select
        label={t('log.event')}
        placeholder={t('log.all')}
        data={events.map((value) => ({ value, label: t(`events.${value}.name`) }))}
        value={search.event ?? null}
        onChange={(value) => change('event', value)}
        clearable
        clearButtonProps={{ 'aria-label': t('log.clear') }}
      />
    </search>
  )
}

interface DeliveriesProps {
  p: string
  webhook: Webhook
  search: LogSearch
}

function Deliveries({ p, webhook, search }: DeliveriesProps) {
  const t = useTranslations('webhooks.log')
  const [open, setOpen] = useState<string | null>(null)
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    deliveriesQuery(p, webhook._id, search),
  )
  if (!data)
    return error ? (
      <ErrorState error={error} retry={() => void refetch()} />
    ) : (
      <SkeletonList rows={5} height={44} />
    )
  const deliveries = data.pages.flatMap((page) => page.deliveries)
  const isNarrowed = Object.keys(search).length > 0
  return (
    <>
      <LoadProblem error={error} retry={() => void refetch()} />
      {deliveries.length === 0 && (
        <EmptyState
          icon={<IconMailForward size={36} stroke={1.4} aria-hidden="true" />}
          title={isNarrowed ? t('emptyFound') : t('empty')}
          text={isNarrowed ? t('emptyFoundText') : t('emptyText')}
        />
      )}
      {deliveries.length > 0 && (
        <ul className={classes.log} aria-label={t('title')}>
          {deliveries.map((delivery) => (
            <li key={delivery._id}>
              <Row webhook={webhook} delivery={delivery} onOpen={() => setOpen(delivery._id)} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className={classes.more}>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('more')}
          </Button>
        </div>
      )}
      {open && <WebhookDeliveryDrawer p={p} webhook={webhook} id={open} onClose={() => setOpen(null)} />}
    </>
  )
}

interface RowProps {
  webhook: Webhook
  delivery: WebhookDelivery
  onOpen: () => void
}

function Row({ webhook, delivery, onOpen }: RowProps) {
  const t = useTranslations('webhooks')
  const format = useFormatter()
  const problem = useReasonWords()(delivery)
  const words = useEventWords()
  const due = useDue(webhook, delivery)
  const subject = subjectOf(delivery)
  const place = placeOf(delivery)
  const { event, events, eventTypes, state, reason, attempts, status, took, createdAt } = delivery
  const facts = [
    ...(status !== null && !problem ? [t('log.status', { status })] : []),
    ...(took !== null ? [t('log.took', { took })] : []),
    ...(attempts > 1 ? [t('log.attempts', { count: attempts })] : []),
    ...(due ? [due] : []),
  ]
  return (
    <UnstyledButton className={classes.row} onClick={onOpen} aria-haspopup="dialog">
      <time className={classes.time} dateTime={createdAt}>
        {format.dateTime(new Date(createdAt), { dateStyle: 'short', timeStyle: 'medium' })}
      </time>
      <span className={classes.what}>
        {words(eventTypes.length > 0 ? eventTypes : [event])}
        {events > 1 && t('log.batched', { count: events })}
        {(subject || place) && (
          <span className={classes.where}>
            {subject && <span className={classes.subject}>{subject}</span>}
            {place && <span>{place}</span>}
          </span>
        )}
        {problem && <span className={classes.problem}>{problem}</span>}
        <span className={classes.figures}>{facts.join(' · ')}</span>
      </span>
      <WebhookDeliveryState state={state} reason={reason} />
    </UnstyledButton>
  )
}
