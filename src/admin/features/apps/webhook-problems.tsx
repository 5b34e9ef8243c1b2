import { Alert, Anchor, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { webhooksQuery } from '#admin/lib/queries.ts'

/** Time in ms for which a webhook must fail before an alert is shown. */
const failingTime = 30 * 60_000

/**
 * Alerts for webhooks that are paused, that have been failing for half an hour, or that were disabled because their
 * receiver refused further requests.
 */
export function WebhookProblems({ p }: { p: string }) {
  const t = useTranslations('apps.webhookProblems')
  const { data: webhooks = [] } = useQuery(webhooksQuery(p))
  const format = useFormatter()
  const problems = webhooks.flatMap(({ _id: id, name, enabled, paused, disabledAt, failingSince }) => {
    if (disabledAt) return [{ id, text: t('gone', { name }) }]
    if (!enabled) return []
    if (paused && Date.parse(paused.until) > Date.now()) return [{ id, text: t('paused', { name }) }]
    const since = failingSince ?? paused?.since
    if (!since || (!paused && Date.now() - Date.parse(since) < failingTime)) return []
    const time = format.dateTime(new Date(since), { dateStyle: 'medium', timeStyle: 'short' })
    return [{ id, text: t('failing', { name, time }) }]
  })
  if (problems.length === 0) return null
  return (
    <Stack gap="xs" mb="md">
      {problems.map(({ id, text }) => (
        <Alert key={id} color="red" variant="light" icon={<IconAlertTriangle size={18} />}>
          {text}{' '}
          <Anchor component={Link} to={`/${p}/-/webhooks/${id}`} inherit>
            {t('open')}
          </Anchor>
        </Alert>
      ))}
    </Stack>
  )
}
