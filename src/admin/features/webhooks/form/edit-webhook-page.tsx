import { Button } from '@mantine/core'
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { webhooksKey } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { SettingsPage } from '#admin/ui/settings-page.tsx'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { keepWebhook, webhookQuery } from '../webhooks.queries.ts'
import { toBody, valuesOf } from './values.ts'
import { useFormRules, WebhookForm } from './webhook-form.tsx'

const route = getRouteApi('/signed-in/$p/settings/-/webhooks/$webhook/edit')

/**
 * Loads a webhook for its form. The form does not begin with the cached webhook, because its version may be older than
 * the current one.
 */
const editedQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...webhooksKey(p), 'edit', id],
    queryFn: ({ client }) => loadCurrent(client, p, id),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

const loadCurrent = (client: QueryClient, p: string, id: string) =>
  client.fetchQuery({ ...webhookQuery(p, id), staleTime: 0 })

/** `/{p}/-/webhooks/{webhook}/edit` */
export function EditWebhookPage() {
  const t = useTranslations('webhooks')
  const { p, webhook: id } = route.useParams()
  const can = useCanInSpace(p)
  const mayManage = can('webhook.manage')
  const { data } = useQuery({ ...editedQuery(p, id), enabled: mayManage })
  return (
    <SettingsPage
      title={data ? t('form.editTitle', { name: data.name }) : t('editTitle')}
      forbidden={!mayManage && { title: t('forbidden'), text: t('forbiddenText') }}
      query={editedQuery(p, id)}
    >
      {(webhook) => <Editing key={webhook._id} p={p} loaded={webhook} />}
    </SettingsPage>
  )
}

/** Keeps the webhook with which the form began, although the loaded webhook changes. */
function Editing({ p, loaded }: { p: string; loaded: Webhook }) {
  const queryClient = useQueryClient()
  const [webhook, setWebhook] = useState(loaded)
  async function reload(): Promise<void> {
    try {
      setWebhook(await loadCurrent(queryClient, p, webhook._id))
    } catch (error) {
      toast.error(errorText(error))
    }
  }
  return <EditForm key={webhook.version} p={p} webhook={webhook} onReload={reload} />
}

interface EditFormProps {
  p: string
  webhook: Webhook
  /** Replaces the form by one with the current settings. */
  onReload: () => Promise<void>
}

function EditForm({ p, webhook, onReload }: EditFormProps) {
  const t = useTranslations('webhooks.form')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isOutdated, setOutdated] = useState(false)
  const form = useEndpointForm('PATCH /api/project/{p}/webhook/{id}', {
    values: valuesOf(webhook),
    params: { p, id: webhook._id },
    ...useFormRules(webhook.url),
    toBody: (values) => ({ data: { ...toBody(values).data, version: webhook.version } }),
    texts: { VersionConflict: t('changedMeanwhile') },
    failed: (error) => {
      setOutdated(error instanceof ApiError && error.code === 'VersionConflict')
      return false
    },
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
      {isOutdated && (
        <Button variant="default" onClick={() => void onReload()}>
          {t('reload')}
        </Button>
      )}
    </WebhookForm>
  )
}
