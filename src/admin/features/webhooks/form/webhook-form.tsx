import { NumberInput, Select, Switch, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'
import { webhookLimits, webhookMethods } from '#shared/contract/webhooks.ts'
import type { Issue } from '#shared/errors.ts'
import { BodyInput } from './body-input.tsx'
import { bodyIssueText } from './body-issue.ts'
import { EventBoxes } from './event-boxes.tsx'
import type { WebhookFormState } from './form-state.ts'
import { headerInputName, readHeaderIssue, writeHeaderIssue } from './header-issue.ts'
import { HeadersInput } from './headers-input.tsx'
import { unreplacedPart } from './presets.ts'
import { TargetsInput } from './targets-input.tsx'
import { isElsewhere, schemeAlone, sentHeaders, toBody, type Values } from './values.ts'

const paths = {
  name: 'data.name',
  url: 'data.url',
  method: null,
  enabled: null,
  events: 'data.events',
  scope: null,
  targets: 'data.targets',
  headers: 'data.headers',
  bodyKind: null,
  body: 'data.body',
  includesBefore: null,
  includesAfter: null,
  batchSeconds: 'data.batchSeconds',
} as const

/** Returns the options of `useEndpointForm` that the forms of new and of existing webhooks share. */
export function useFormRules(storedUrl: string | null) {
  const t = useTranslations('webhooks.form')
  const required = issueText({ code: 'Required' })
  const headerIssueText = (issue: Issue) => {
    if (issue.code === 'DuplicatedValue') return t('headers.twice')
    if (issue.code === 'ReservedWord') return t('headers.reserved')
    if (issue.code !== 'InvalidFormat') return issueText(issue)
    return issue.path.endsWith('.name') ? t('headers.nameFormat') : t('headers.valueFormat')
  }
  function checkUrl(url: string): string | null {
    if (url.trim() === '') return required
    const part = unreplacedPart(url.trim())
    if (part === null) return null
    return part === '…' ? t('urlExample') : t('urlPart', { part })
  }
  function checkHeaders({ headers, url }: Values): string | null {
    for (const { key, name, value, isSecret, isKept } of sentHeaders(headers)) {
      const isMissing = isSecret && (isKept ? isElsewhere(url, storedUrl) : value.trim() === '')
      const scheme = isKept ? null : schemeAlone({ name, value })
      const text = isMissing ? required : scheme && t('headers.schemeAlone', { scheme })
      if (text) return writeHeaderIssue({ at: { key, input: 'value' }, text })
    }
    return null
  }
  return {
    toBody,
    paths,
    check: (values: Values) => {
      const { url, method, events, scope, targets, bodyKind, body, batchSeconds } = values
      return {
        url: checkUrl(url),
        events: events.length === 0 ? t('events.chooseOne') : null,
        targets: scope === 'chosen' && targets.length === 0 ? t('targets.chooseOne') : null,
        headers: checkHeaders(values),
        body: method !== 'GET' && bodyKind === 'own' && body.trim() === '' ? required : null,
        batchSeconds: batchSeconds === '' ? required : null,
      }
    },
    issueText: (issue: Issue, name: keyof Values, { headers, body }: Values) => {
      if (name === 'url' && issue.code === 'InvalidFormat') return t('urlFormat')
      if (name === 'url' && issue.code === 'AddressNotAllowed') return t('urlHttp')
      if (name === 'body') return bodyIssueText(issue, body)
      if (name === 'headers') {
        // For `data.headers.2.name`: the row and the input.
        const [, , index, input] = issue.path.split('.')
        const row = sentHeaders(headers)[Number(index)]
        const at = row
          ? { key: row.key, input: input === 'value' ? ('value' as const) : ('name' as const) }
          : null
        return writeHeaderIssue({ at, text: headerIssueText(issue) })
      }
      return null
    },
    inputOf: (name: keyof Values, message: string) => {
      const at = name === 'headers' ? readHeaderIssue(message).at : null
      return at ? headerInputName(at.key, at.input) : name
    },
  }
}

interface WebhookFormProps {
  p: string
  form: WebhookFormState
  /** The stored URL. null: a new webhook. */
  storedUrl: string | null
  /** An example of the URL to enter. */
  address?: string
  saveLabel: string
  children?: ReactNode
}

/** All inputs of a webhook. */
export function WebhookForm({ p, form, storedUrl, address, saveLabel, children }: WebhookFormProps) {
  const t = useTranslations('webhooks.form')
  const { values, set, field, errorOf } = form
  return (
    <EndpointForm form={form} guarded ofSections autoComplete="off">
      <Section title={t('receiver.title')} description={t('receiver.text')}>
        <FormStack>
          <TextInput
            {...field('name')}
            label={t('name')}
            placeholder={t('namePlaceholder')}
            maxLength={100}
            required
          />
          <TextInput
            {...field('url')}
            label={t('url')}
            description={t('urlHint')}
            placeholder={address ?? 'https://'}
            inputMode="url"
            spellCheck={false}
            required
          />
          <Select
            label={t('method')}
            description={values.method === 'GET' ? t('methodGet') : null}
            data={[...webhookMethods]}
            value={values.method}
            onChange={(method) => method && set('method', method as Values['method'])}
            allowDeselect={false}
            maw={200}
          />
          <Switch
            label={t('enabled')}
            description={t('enabledHint')}
            checked={values.enabled}
            onChange={(event) => set('enabled', event.currentTarget.checked)}
          />
        </FormStack>
      </Section>
      <Section title={t('events.title')} description={t('events.text')}>
        <EventBoxes
          value={values.events}
          onChange={(events) => set('events', events)}
          error={errorOf('events')}
        />
      </Section>
      <Section title={t('targets.title')} description={t('targets.text')}>
        <TargetsInput p={p} form={form} />
      </Section>
      <Section title={t('batch.title')} description={t('batch.text')}>
        <NumberInput
          name="batchSeconds"
          label={t('batch.label')}
          description={values.batchSeconds === 0 ? t('batch.none') : null}
          suffix={t('batch.unit')}
          value={values.batchSeconds}
          onChange={(next) => set('batchSeconds', next === '' ? '' : Number(next))}
          error={errorOf('batchSeconds')}
          min={0}
          max={webhookLimits.batchSeconds}
          step={10}
          clampBehavior="none"
          allowNegative={false}
          allowDecimal={false}
          maw={360}
          required
        />
      </Section>
      <Section title={t('headers.title')} description={t('headers.text')}>
        <HeadersInput
          value={values.headers}
          onChange={(headers) => set('headers', headers)}
          error={errorOf('headers')}
          isElsewhere={isElsewhere(values.url, storedUrl)}
        />
      </Section>
      {values.method !== 'GET' && (
        <Section title={t('body.title')} description={t('body.text')}>
          <BodyInput p={p} form={form} />
        </Section>
      )}
      <SaveBar form={form} label={saveLabel} mb="xl">
        {children}
      </SaveBar>
    </EndpointForm>
  )
}
