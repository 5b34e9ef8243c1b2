import { Alert, Anchor, Button, Group } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconSend } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { keepWebhook } from '../webhooks.queries.ts'
import { WebhookDeliveryDrawer } from './delivery-drawer.tsx'
import { useReasonWords } from './reason-words.ts'

interface TestButtonProps {
  p: string
  webhook: Webhook
  /** Further buttons in the same row. */
  children: ReactNode
}

/** Sends a test event and shows the result. */
export function TestButton({ p, webhook, children }: TestButtonProps) {
  const t = useTranslations('webhooks.test')
  const queryClient = useQueryClient()
  const reason = useReasonWords()
  const [open, setOpen] = useState(false)
  const { mutate, data, isPending } = useMutation({
    mutationFn: () => api('POST /api/project/{p}/webhook/{id}/send', { params: { p, id: webhook._id } }),
    onSuccess: (answer) => keepWebhook(queryClient, p, answer.webhook),
  })
  const sent = data?.delivery
  const isGood = sent?.state === 'sent'
  return (
    <>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconSend size={16} />}
          loading={isPending}
          onClick={() => mutate()}
        >
          {t('action')}
        </Button>
        {children}
      </Group>
      {sent && !isPending && (
        <Alert
          color={isGood ? 'mizu' : 'red'}
          variant="light"
          icon={isGood ? <IconCircleCheck size={18} /> : <IconAlertTriangle size={18} />}
          title={isGood ? t('good') : t('bad')}
          role="status"
        >
          {isGood ? t('goodText', { status: sent.status ?? 0, took: sent.took ?? 0 }) : reason(sent)}{' '}
          <Anchor component="button" type="button" size="sm" onClick={() => setOpen(true)}>
            {t('details')}
          </Anchor>
        </Alert>
      )}
      {open && sent && (
        <WebhookDeliveryDrawer p={p} webhook={webhook} id={sent._id} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
