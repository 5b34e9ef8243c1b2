import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconSend } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { keepWebhook, webhookQuery } from '../webhooks.queries.ts'
import { WebhookDeliveryDrawer } from './delivery-drawer.tsx'
import { useReasonWords } from './reason-words.ts'

/** Time in ms after a test during which the server refuses the next one. */
const restTime = 2_000

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
  const [isResting, setResting] = useState(false)
  useEffect(() => {
    if (!isResting) return
    const timer = setTimeout(() => setResting(false), restTime)
    return () => clearTimeout(timer)
  }, [isResting])
  const { mutate, data, variables, isPending } = useMutation({
    mutationFn: (_: { wasPaused: boolean }) =>
      api('POST /api/project/{p}/webhook/{id}/send', { params: { p, id: webhook._id } }),
    async onSuccess(answer) {
      await keepWebhook(queryClient, p, answer.webhook)
      // An accepted test ends a pause and sends the waiting requests, so the state changes again after the response.
      await queryClient.invalidateQueries({ queryKey: webhookQuery(p, webhook._id).queryKey })
    },
    onSettled: () => setResting(true),
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
          disabled={isResting}
          onClick={() => mutate({ wasPaused: webhook.enabled && webhook.paused !== null })}
        >
          {t('action')}
        </Button>
        {children}
      </Group>
      <Text size="sm" c="dimmed">
        {t('hint')}
      </Text>
      {sent && !isPending && (
        <Alert
          color={isGood ? 'mizu' : 'red'}
          variant="light"
          icon={isGood ? <IconCircleCheck size={18} /> : <IconAlertTriangle size={18} />}
          title={isGood ? t('good') : t('bad')}
          role="status"
        >
          {isGood ? t('goodText', { status: sent.status ?? 0, took: sent.took ?? 0 }) : reason(sent)}{' '}
          {isGood && variables?.wasPaused && `${t('resumed')} `}
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
