import { SegmentedControl, Select, Text } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { appsQuery, modelsQuery } from '#admin/lib/queries.ts'
import { CodeBlock } from '#admin/ui/code-block.tsx'
import { Section } from '#admin/ui/section.tsx'
import { type SampleClient, sampleClients, sampleCode } from './sample.ts'
import classes from './tokens.module.css'
import { type IssuedToken, type TokenKind, tokenKinds } from './tokens.queries.ts'

const isSecure = location.protocol === 'https:'

/** A code sample with an app and a model of the space and the newly issued token. */
export function CodeSample({
  p,
  issued,
}: {
  p: string
  issued: { kind: TokenKind; token: IssuedToken } | null
}) {
  const t = useTranslations('tokens')
  const { data: apps } = useSuspenseQuery(appsQuery(p))
  const [chosen, setChosen] = useState<{ app?: string; model?: string; kind?: TokenKind }>({})
  const [wanted, setClient] = useState<SampleClient>(isSecure ? 'sdk' : 'fetch')

  const app = apps.find((one) => one.uid === chosen.app) ?? apps.find((one) => one.joined) ?? apps[0]
  const { data: models = [] } = useQuery({ ...modelsQuery(p, app?.uid ?? ''), enabled: app !== undefined })
  // Sites usually read the model with the most documents.
  const largest = [...models].sort((one, other) => other.documentCount - one.documentCount)[0]
  const model = models.find((one) => one.uid === chosen.model) ?? largest
  const kind = chosen.kind ?? issued?.kind ?? 'cdn'
  const clients = sampleClients.filter((one) => one !== 'write' || kind === 'api')
  const client = clients.find((one) => one === wanted) ?? 'curl'
  const code = sampleCode({
    client,
    field: model?.fields.find(({ _id }) => _id === model.titleField)?.uid ?? 'title',
    origin: location.origin,
    space: p,
    app: app?.uid ?? 'app',
    model: model?.uid ?? 'model',
    kind,
    token: issued?.kind === kind ? issued.token.token : t(`sample.placeholders.${kind}`),
  })

  return (
    <Section title={t('sample.title')} description={t('sample.text')}>
      <div className={classes.choices}>
        <Select
          label={t('sample.app')}
          data={apps.map((one) => ({ value: one.uid, label: one.name }))}
          value={app?.uid ?? null}
          onChange={(uid) => uid && setChosen({ ...chosen, app: uid })}
          allowDeselect={false}
          w={180}
        />
        <Select
          label={t('sample.model')}
          data={models.map((one) => ({ value: one.uid, label: one.name }))}
          value={model?.uid ?? null}
          onChange={(uid) => uid && setChosen({ ...chosen, model: uid })}
          allowDeselect={false}
          w={180}
        />
        <SegmentedControl
          aria-label={t('sample.kind')}
          data={tokenKinds.map((value) => ({ value, label: t(`sample.kinds.${value}`) }))}
          value={kind}
          onChange={(value) => setChosen({ ...chosen, kind: value })}
        />
        <Select
          label={t('sample.client')}
          data={clients.map((value) => ({ value, label: t(`sample.clients.${value}`) }))}
          value={client}
          onChange={(value) => value && setClient(value)}
          allowDeselect={false}
          w={180}
        />
      </div>
      {client === 'sdk' && !isSecure && (
        <Text size="sm" c="var(--mantine-color-error)" mt="sm">
          {t('sample.needsHttps')}
        </Text>
      )}
      {client === 'write' && (
        <Text size="sm" c="dimmed" mt="sm">
          {t('sample.writes')}
        </Text>
      )}
      <CodeBlock code={code} copyLabel={t('sample.copy')} />
    </Section>
  )
}
