import { Button, List } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { SettingsPage } from '#admin/ui/settings-page.tsx'
import { Forbidden } from '../forbidden.tsx'
import { IssuedSigningSecret } from '../issued-signing-secret.tsx'
import { keepWebhook, webhookQuery } from '../webhooks.queries.ts'
import { type Choice, PresetChoice } from './preset-choice.tsx'
import { type Preset, presetNames, presets } from './presets.ts'
import { copiedValues, newValues, type Values } from './values.ts'
import { useFormRules, WebhookForm } from './webhook-form.tsx'

/**
 * `/{p}/-/webhooks/new`: first the choice of a service, unless a webhook is copied; then the form, then the signing
 * secret.
 */
export function NewWebhookPage() {
  const t = useTranslations('webhooks')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  const navigate = useNavigate()
  const [created, setCreated] = useState<Created | null>(null)
  const { preset, from } = useSearch({ strict: false }) as { preset?: unknown; from?: unknown }
  const choice: Choice | undefined = [...presetNames, 'own' as const].find((name) => name === preset)
  const choose = (next: Choice | undefined) =>
    void navigate({
      to: '/$p/-/webhooks/new',
      params: { p },
      search: (next ? { preset: next } : {}) as never,
    })

  if (!can('webhook.manage')) return <Forbidden />
  if (created)
    return (
      <Page title={t('created.title', { name: created.name })} description={t('created.text')} width="narrow">
        <IssuedSigningSecret signingSecret={created.signingSecret}>
          <Button component={Link} to={`/${p}/-/webhooks/${created._id}`}>
            {t('created.next')}
          </Button>
        </IssuedSigningSecret>
      </Page>
    )
  if (typeof from === 'string')
    return (
      <SettingsPage title={t('create')} query={webhookQuery(p, from)}>
        {(webhook) => (
          <NewForm
            key={from}
            p={p}
            values={copiedValues(webhook, t('copyOf', { name: webhook.name }))}
            onCreated={setCreated}
          />
        )}
      </SettingsPage>
    )
  return (
    <Page
      title={t('create')}
      description={choice ? undefined : t('presets.text')}
      actions={
        choice ? (
          <Button variant="default" onClick={() => choose(undefined)}>
            {t('presets.again')}
          </Button>
        ) : (
          <Button variant="default" component={Link} to={`/${p}/-/webhooks`}>
            {t('list')}
          </Button>
        )
      }
      width="narrow"
    >
      {choice ? (
        <NewOfPreset
          key={choice}
          p={p}
          preset={choice === 'own' ? null : presets[choice]}
          onCreated={setCreated}
        />
      ) : (
        <PresetChoice onChoose={choose} />
      )}
    </Page>
  )
}

interface Created {
  _id: string
  name: string
  signingSecret: string
}

interface NewOfPresetProps {
  p: string
  /** null: a webhook without a preset. */
  preset: Preset | null
  onCreated: (webhook: Created) => void
}

/**
 * The form for a new webhook, filled with the values of the preset. With a preset, the setup steps in its service are
 * shown above the form.
 */
function NewOfPreset({ p, preset, onCreated }: NewOfPresetProps) {
  const t = useTranslations('webhooks')
  const language = useLocale()
  const mayAll = useCanInSpace(p)('document.read')
  return (
    <>
      {preset && (
        <Section title={t('presets.steps', { name: preset.name })}>
          <List type="ordered" spacing="xs" size="sm">
            {preset.steps[language].map((step) => (
              <List.Item key={step}>{step}</List.Item>
            ))}
          </List>
        </Section>
      )}
      <NewForm
        p={p}
        values={newValues(preset, language, mayAll ? 'all' : 'chosen')}
        onCreated={onCreated}
        {...(preset ? { address: preset.address } : {})}
      />
    </>
  )
}

interface NewFormProps {
  p: string
  values: Values
  /** An example of the URL to enter. */
  address?: string
  onCreated: (webhook: Created) => void
}

function NewForm({ p, values, address, onCreated }: NewFormProps) {
  const t = useTranslations('webhooks')
  const queryClient = useQueryClient()
  const form = useEndpointForm('POST /api/project/{p}/webhook', {
    values,
    params: { p },
    ...useFormRules(null),
    saved: async ({ webhook: { signingSecret, ...webhook } }) => {
      onCreated({ _id: webhook._id, name: webhook.name, signingSecret })
      await keepWebhook(queryClient, p, webhook)
    },
  })
  return (
    <WebhookForm
      p={p}
      form={form}
      storedUrl={null}
      saveLabel={t('createAction')}
      {...(address ? { address } : {})}
    />
  )
}
