import { Anchor, Code, Group, Stack, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { useFocusBack } from '#admin/lib/focus-back.ts'
import { CodeBlock } from '#admin/ui/code-block.tsx'
import { CopyButton } from '#admin/ui/copy-field.tsx'
import { Fact, Facts } from '#admin/ui/facts.tsx'
import { SideWindow } from '#admin/ui/side-window.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { Webhook, WebhookDeliveryDetail } from '#shared/contract/webhooks.ts'
import { prettyJson } from '../pretty-json.ts'
import { useEventWords } from '../webhook-state.tsx'
import classes from '../webhooks.module.css'
import { deliveryQuery } from '../webhooks.queries.ts'
import { WebhookDeliveryState } from './delivery-state.tsx'
import { placeOf, subjectOf } from './delivery-words.ts'
import { formLines, isForm } from './form-lines.ts'
import { useReasonWords } from './reason-words.ts'
import { ResendButton } from './resend-button.tsx'
import { toCurl } from './to-curl.ts'
import { useDue } from './use-due.ts'
import { useRedeliver } from './use-redeliver.ts'

interface WebhookDeliveryDrawerProps {
  p: string
  webhook: Webhook
  /** `_id` of the request in the log. */
  id: string
  onClose: () => void
}

/** One request of the log: its headers and body, and each delivery attempt with its response. */
export function WebhookDeliveryDrawer({ p, webhook, id, onClose }: WebhookDeliveryDrawerProps) {
  const t = useTranslations('webhooks.log')
  useFocusBack()
  const { data, error, refetch } = useQuery(deliveryQuery(p, webhook._id, id))
  return (
    <SideWindow opened onClose={onClose} size="lg" title={t('one')}>
      {data ? (
        <Details p={p} webhook={webhook} delivery={data} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <SkeletonList />
      )}
    </SideWindow>
  )
}

interface DetailsProps {
  p: string
  webhook: Webhook
  delivery: WebhookDeliveryDetail
}

function Details({ p, webhook, delivery }: DetailsProps) {
  const t = useTranslations('webhooks')
  const format = useFormatter()
  const redeliver = useRedeliver(p, webhook)
  const words = useEventWords()
  const due = useDue(webhook, delivery)
  const {
    app,
    model,
    documentId,
    state,
    reason,
    attempts,
    event,
    events,
    eventTypes,
    messageId,
    body,
    isReadable,
    log,
  } = delivery
  const date = (at: string) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'medium' })
  const headers = log[0]?.requestHeaders ?? []
  const subject = subjectOf(delivery)
  const place = placeOf(delivery)
  const hasSecrets = webhook.headers.some(({ isSecret }) => isSecret)
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <WebhookDeliveryState state={state} reason={reason} />
        {event !== 'test' && attempts > 0 && (
          <ResendButton
            webhook={webhook}
            size="xs"
            leftSection={<IconRefresh size={14} />}
            loading={redeliver.isPending}
            onClick={() => redeliver.mutate({ _id: delivery._id })}
          >
            {t('log.redeliver.one')}
          </ResendButton>
        )}
      </Group>
      <Facts>
        <Fact name={t('log.event')}>
          {words(eventTypes.length > 0 ? eventTypes : [event])}
          {events > 1 && t('log.batched', { count: events })}
        </Fact>
        {(subject || place) && (
          <Fact name={t('log.content')}>
            {app && model && documentId && events === 1 ? (
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/$p/$a/$m/$id"
                    params={{ p, a: app.uid, m: model.uid, id: documentId }}
                  />
                )}
              >
                {subject}
              </Anchor>
            ) : (
              subject
            )}
            {place && <span>{place}</span>}
          </Fact>
        )}
        <Fact name={t('log.createdAt')}>{date(delivery.createdAt)}</Fact>
        {due && <Fact name={t('log.nextAt')}>{due}</Fact>}
        <Fact name="webhook-id">
          <Code>{messageId}</Code>
        </Fact>
      </Facts>
      <section aria-labelledby="delivery-attempts">
        <Title order={3} size="h4" id="delivery-attempts">
          {t('log.attemptsTitle')}
        </Title>
        {log.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('log.noAttempts')}
          </Text>
        ) : (
          <ol className={classes.attempts}>
            {log.map((attempt) => (
              <li key={attempt.at}>
                <Attempt attempt={attempt} date={date} />
              </li>
            ))}
          </ol>
        )}
      </section>
      <section aria-labelledby="delivery-request">
        <Group justify="space-between">
          <Title order={3} size="h4" id="delivery-request">
            {t('log.request')}
          </Title>
          {isReadable && headers.length > 0 && (
            <Group gap={2}>
              <Text size="sm" c="dimmed">
                {hasSecrets ? t('log.curl') : 'curl'}
              </Text>
              <CopyButton
                value={toCurl({ ...webhook, headers, body })}
                label={t(hasSecrets ? 'log.copyCurlDots' : 'log.copyCurl')}
              />
            </Group>
          )}
        </Group>
        {headers.length > 0 && (
          <CodeBlock
            code={headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
            copyLabel={t('log.copyHeaders')}
          />
        )}
        {isReadable ? (
          body === null ? (
            <Text size="sm" c="dimmed">
              {t('log.noBody')}
            </Text>
          ) : (
            <CodeBlock
              {...(isForm(headers.length > 0 ? headers : webhook.headers)
                ? { code: formLines(body), copied: body }
                : { code: prettyJson(body) })}
              copyLabel={t('log.copyBody')}
            />
          )
        ) : (
          <Text size="sm" c="dimmed">
            {t('log.notReadable')}
          </Text>
        )}
      </section>
    </Stack>
  )
}

interface AttemptProps {
  attempt: WebhookDeliveryDetail['log'][number]
  date: (at: string) => string
}

function Attempt({ attempt, date }: AttemptProps) {
  const t = useTranslations('webhooks.log')
  const reason = useReasonWords()(attempt)
  const { at, status, took, answer } = attempt
  return (
    <>
      <Text size="sm">
        {[date(at), ...(status === null ? [] : [t('status', { status })]), t('took', { took })].join(' · ')}
      </Text>
      {reason && (
        <Text size="sm" c="var(--mantine-color-error)">
          {reason}
        </Text>
      )}
      {answer && <CodeBlock code={prettyJson(answer)} copyLabel={t('copyAnswer')} />}
    </>
  )
}
