import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { giveFocusBack } from '#admin/lib/focus-back.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { IssuedSigningSecret } from './issued-signing-secret.tsx'
import { VerifyCode } from './verify-code.tsx'
import { keepWebhook } from './webhooks.queries.ts'

/** Buttons that renew the signing secret, end the previous one, and show code that verifies signatures. */
export function SecretSection({ p, webhook }: { p: string; webhook: Webhook }) {
  const t = useTranslations('webhooks.key')
  const queryClient = useQueryClient()
  const [issued, setIssued] = useState<string | null>(null)
  const [showsCode, setShowsCode] = useState(false)
  const params = { p, id: webhook._id }

  const renew = () =>
    confirm({
      title: t('renew'),
      message: webhook.hasPreviousSecret ? t('renewTextAgain') : t('renewText'),
      action: t('renewAction'),
      run: async () => {
        const answer = await api('POST /api/project/{p}/webhook/{id}/secret', { params })
        const { signingSecret, ...changed } = answer.webhook
        setIssued(signingSecret)
        await keepWebhook(queryClient, p, changed)
      },
    })
  const endFormer = () =>
    confirm({
      title: t('end'),
      message: t('endText'),
      action: t('endAction'),
      danger: true,
      run: async () => {
        const answer = await api('DELETE /api/project/{p}/webhook/{id}/secret/previous', { params })
        await keepWebhook(queryClient, p, answer.webhook)
        toast.success(t('ended'))
      },
    })
  function close() {
    setIssued(null)
    setTimeout(() => giveFocusBack(null))
  }

  if (issued)
    return (
      <IssuedSigningSecret key={issued} signingSecret={issued}>
        <Button variant="default" onClick={close}>
          {t('done')}
        </Button>
      </IssuedSigningSecret>
    )
  return (
    <Section title={t('name')} description={t('text')}>
      <Stack gap="md">
        {webhook.hasPreviousSecret && <Text size="sm">{t('hasPrevious')}</Text>}
        <Group gap="sm">
          <Button variant="default" onClick={renew}>
            {t('renew')}
          </Button>
          {webhook.hasPreviousSecret && (
            <Button variant="default" c="var(--mantine-color-error)" onClick={endFormer}>
              {t('end')}
            </Button>
          )}
          <Button variant="subtle" aria-expanded={showsCode} onClick={() => setShowsCode(!showsCode)}>
            {showsCode ? t('hideCode') : t('verify')}
          </Button>
        </Group>
        {showsCode && (
          <div>
            <Text size="sm">{t('verifyText')}</Text>
            <VerifyCode />
          </div>
        )}
      </Stack>
    </Section>
  )
}
