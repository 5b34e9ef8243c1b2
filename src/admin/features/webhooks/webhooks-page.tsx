import { Button, Text } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import { webhookLimits } from '#shared/contract/webhooks.ts'
import { Forbidden } from './forbidden.tsx'
import { PresetChoice } from './form/preset-choice.tsx'
import { WebhookRow } from './webhook-row.tsx'
import classes from './webhooks.module.css'
import { polledWebhooksQuery } from './webhooks.queries.ts'

/** `/{p}/-/webhooks` */
export function WebhooksPage() {
  const { p } = spaceRoute.useParams()
  return useCanInSpace(p)('webhook.manage') ? <Webhooks p={p} /> : <Forbidden />
}

function Webhooks({ p }: { p: string }) {
  const t = useTranslations('webhooks')
  const navigate = useNavigate()
  const { data: webhooks, error, refetch } = useQuery(polledWebhooksQuery(p))
  const isFull = (webhooks?.length ?? 0) >= webhookLimits.perSpace
  const create = webhooks && webhooks.length > 0 && !isFull && (
    <Button component={Link} to={`/${p}/-/webhooks/new`} leftSection={<IconPlus size={16} />}>
      {t('create')}
    </Button>
  )
  return (
    <Page title={t('title')} description={t('text')} actions={create || null}>
      {!webhooks && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />)}
      {webhooks?.length === 0 && (
        <>
          <EmptyState
            icon={<IconWebhook size={36} stroke={1.4} aria-hidden="true" />}
            title={t('empty.title')}
            text={t('empty.text')}
          />
          <PresetChoice
            onChoose={(preset) =>
              void navigate({ to: '/$p/-/webhooks/new', params: { p }, search: { preset } })
            }
          />
        </>
      )}
      {webhooks && webhooks.length > 0 && (
        <>
          <LoadProblem error={error} retry={() => void refetch()} />
          <ul className={classes.list} aria-label={t('title')}>
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook._id} p={p} webhook={webhook} isFull={isFull} />
            ))}
          </ul>
          {isFull && (
            <Text size="sm" c="dimmed">
              {t('full', { count: webhookLimits.perSpace })}
            </Text>
          )}
        </>
      )}
    </Page>
  )
}
