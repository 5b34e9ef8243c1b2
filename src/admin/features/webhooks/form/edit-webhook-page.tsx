import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { SettingsPage } from '#admin/ui/settings-page.tsx'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { keepWebhook, webhookQuery } from '../webhooks.queries.ts'
import { valuesOf } from './values.ts'
import { useFormRules, WebhookForm } from './webhook-form.tsx'

const route = getRouteApi('/signed-in/$p/settings/-/webhooks/$webhook/edit')

/** `/{p}/-/webhooks/{webhook}/edit` */
export function EditWebhookPage() {
  const t = useTranslations('webhooks')
  const { p, webhook: id } = route.useParams()
  const can = useCanInSpace(p)
  return (
    <SettingsPage
      title={t('editTitle')}
      forbidden={!can('webhook.manage') && { title: t('forbidden'), text: t('forbiddenText') }}
      query={webhookQuery(p, id)}
    >
      {(webhook) => <EditForm key={webhook._id} p={p} webhook={webhook} />}
    </SettingsPage>
  )
}

function EditForm({ p, webhook }: { p: string; webhook: Webhook }) {
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const form = useEndpointForm('PATCH /api/project/{p}/webhook/{id}', {
    values: valuesOf(webhook),
    params: { p, id: webhook._id },
    ...useFormRules(webhook.url),
    saved: async ({ webhook: changed }) => {
      toast.success(common('saved'))
      await keepWebhook(queryClient, p, changed)
      await navigate({ to: '/$p/-/webhooks/$webhook', params: { p, webhook: webhook._id } })
    },
  })
  return (
    <WebhookForm p={p} form={form} storedUrl={webhook.url} saveLabel={common('save')}>
      <Button variant="default" component={Link} to={`/${p}/-/webhooks/${webhook._id}`}>
        {common('cancel')}
      </Button>
    </WebhookForm>
  )
}
