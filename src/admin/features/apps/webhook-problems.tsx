import { Alert, Anchor, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { webhooksQuery } from '#admin/lib/queries.ts'

/** Alerts for webhooks that are paused, or were disabled because their receiver refused further requests. */
export function WebhookProblems({ p }: { p: string }) {
  const t = useTranslations('webhooks.problems')
  const { data: webhooks = [] } = useQuery(webhooksQuery(p))
  const failing = webhooks.filter(({ enabled, paused, disabledAt }) => disabledAt || (enabled && paused))
  if (failing.length === 0) return null
  return (
    <Stack gap="xs" mb="md">
      {failing.map(({ _id: id, name, disabledAt }) => (
        <Alert key={id} color="red" variant="light" icon={<IconAlertTriangle size={18} />}>
          {disabledAt ? t('gone', { name }) : t('paused', { name })}{' '}
          <Anchor component={Link} to={`/${p}/-/webhooks/${id}`} inherit>
            {t('open')}
          </Anchor>
        </Alert>
      ))}
    </Stack>
  )
}
