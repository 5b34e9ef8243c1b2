import { Button, Group, List, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { CodeBlock } from '#admin/ui/code-block.tsx'
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
  const {
    preset,
    from,
    created: id,
  } = useSearch({ strict: false }) as Record<'preset' | 'from' | 'created', unknown>
  const choice: Choice | undefined = [...presetNames, 'own' as const].find((name) => name === preset)
  const show = (webhook: Created) => {
    setCreated(webhook)
    // Otherwise the filled form would be shown again after a reload.
    void navigate({
      to: '/$p/-/webhooks/new',
      params: { p },
      search: { created: webhook._id } as never,
      replace: true,
      ignoreBlocker: true,
    })
  }
  const choose = (next: Choice | undefined) =>
    void navigate({
      to: '/$p/-/webhooks/new',
      params: { p },
      search: (next ? { preset: next } : {}) as never,
    })

  if (!can('webhook.manage')) return <Forbidden />
  if (created) return <CreatedPage p={p} webhook={created} />
  // The page was reloaded after the webhook had been created.
  if (typeof id === 'string')
    return <Navigate to="/$p/-/webhooks/$webhook" params={{ p, webhook: id }} replace />
  if (typeof from === 'string')
    return (
      <SettingsPage title={t('create')} query={webhookQuery(p, from)}>
        {(webhook) => (
          <NewForm
            key={from}
            p={p}
            values={copiedValues(webhook, t('copyOf', { name: webhook.name }))}
            onCreated={show}
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
        <NewOfPreset key={choice} p={p} preset={choice === 'own' ? null : presets[choice]} onCreated={show} />
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
  /** null: a webhook without a preset. */
  preset: Preset | null
}

/**
 * Shows the signing secret of a new webhook. It is hidden at first for services that do not need it, so that a test is
 * the next step.
 */
function CreatedPage({ p, webhook: { _id, name, signingSecret, preset } }: { p: string; webhook: Created }) {
  const t = useTranslations('webhooks.created')
  const navigate = useNavigate()
  const [showsSecret, setShowsSecret] = useState(false)
  const next = (
    <Button
      onClick={() =>
        void navigate({ to: '/$p/-/webhooks/$webhook', params: { p, webhook: _id }, ignoreBlocker: true })
      }
    >
      {t(preset ? 'next' : 'saved')}
    </Button>
  )
  return (
    <Page title={t('title', { name })} description={t(preset ? 'textOfService' : 'text')} width="narrow">
      {preset ? (
        <>
          <Group gap="sm" mb="md">
            {next}
            <Button variant="subtle" aria-expanded={showsSecret} onClick={() => setShowsSecret(!showsSecret)}>
              {t(showsSecret ? 'hideSecret' : 'showSecret')}
            </Button>
          </Group>
          <Text size="sm" c="dimmed" mb="md">
            {t('secretText', { name: preset.name })}
          </Text>
          {showsSecret && <IssuedSigningSecret signingSecret={signingSecret} isOptional />}
        </>
      ) : (
        <IssuedSigningSecret signingSecret={signingSecret}>{next}</IssuedSigningSecret>
      )}
    </Page>
  )
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
            {preset.steps[language].map((step, index) => (
              <List.Item key={step}>
                {step}
                {index === 0 && preset.snippet && (
                  <CodeBlock code={preset.snippet} copyLabel={t('key.copyCode')} />
                )}
              </List.Item>
            ))}
          </List>
        </Section>
      )}
      <NewForm
        p={p}
        values={newValues(preset, language, mayAll ? 'all' : 'chosen')}
        onCreated={onCreated}
        preset={preset}
      />
    </>
  )
}

interface NewFormProps {
  p: string
  values: Values
  preset?: Preset | null
  onCreated: (webhook: Created) => void
}

function NewForm({ p, values, preset = null, onCreated }: NewFormProps) {
  const t = useTranslations('webhooks')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const form = useEndpointForm('POST /api/project/{p}/webhook', {
    values,
    params: { p },
    ...useFormRules(null),
    saved: async ({ webhook: { signingSecret, ...webhook } }) => {
      onCreated({ _id: webhook._id, name: webhook.name, signingSecret, preset })
      await keepWebhook(queryClient, p, webhook)
    },
  })
  return (
    <WebhookForm
      p={p}
      form={form}
      storedUrl={null}
      saveLabel={t('createAction')}
      {...(preset ? { address: preset.address } : {})}
    >
      <Button variant="default" component={Link} to={`/${p}/-/webhooks`}>
        {common('cancel')}
      </Button>
    </WebhookForm>
  )
}
