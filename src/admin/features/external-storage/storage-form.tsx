import { Alert, Button, PasswordInput, Radio, Select, Stack, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { ExternalStorage, StorageProblem } from '#shared/contract/external-storage.ts'
import { externalStorageQuery } from './external-storage.queries.ts'
import { endpointOf, exampleOf, type Service, serviceOf, services } from './services.ts'

interface FormProps {
  p: string
  saved: ExternalStorage | null
}

const newStorage = {
  endpoint: endpointOf('amazon', services.amazon.region),
  region: services.amazon.region as string,
  bucket: '',
  prefix: '',
  style: services.amazon.style as ExternalStorage['style'],
}
type Values = typeof newStorage & { accessKeyId: string; secretAccessKey: string }

/** Returns the `data` of a request. Empty keys are omitted, so that the server uses the stored keys. */
const inputOf = ({ accessKeyId, secretAccessKey, ...location }: Values) => ({
  ...location,
  ...(accessKeyId ? { accessKeyId } : {}),
  ...(secretAccessKey ? { secretAccessKey } : {}),
})

const problemOf = (error: unknown) =>
  error instanceof ApiError && error.code === 'ExternalStorageTestFailed'
    ? (error.details.problem as StorageProblem)
    : undefined

/**
 * The form for the bucket and its keys. The settings can be tested before saving. Only the last four characters of the
 * saved access key ID are shown.
 */
export function StorageForm({ p, saved }: FormProps) {
  const t = useTranslations('externalStorage.form')
  const queryClient = useQueryClient()
  const [service, setService] = useState<Service>(() => serviceOf((saved ?? newStorage).endpoint))
  const [testing, setTesting] = useState(false)
  /**
   * The result of the last test, or of a save that failed its test: a problem, null for success, or an error of the
   * request. undefined: no result.
   */
  const [result, setResult] = useState<StorageProblem | null | { error: string }>()

  const { endpoint, region, bucket, prefix, style } = saved ?? newStorage
  const check = (values: Values) => {
    const keepsKeys = saved?.endpoint === values.endpoint.trim().replace(/\/$/, '')
    const required = (text: string) => (text.trim() ? null : issueText({ code: 'Required' }))
    const key = (mine: string, other: string) => (keepsKeys && !other.trim() ? null : required(mine))
    return {
      endpoint: required(values.endpoint),
      region: required(values.region),
      bucket: required(values.bucket),
      accessKeyId: key(values.accessKeyId, values.secretAccessKey),
      secretAccessKey: key(values.secretAccessKey, values.accessKeyId),
    }
  }
  const form = useEndpointForm('PUT /api/project/{p}/externalStorage', {
    values: { endpoint, region, bucket, prefix, style, accessKeyId: '', secretAccessKey: '' },
    params: { p },
    toBody: (values) => ({ data: inputOf(values) }),
    paths: {
      endpoint: 'data.endpoint',
      region: 'data.region',
      bucket: 'data.bucket',
      prefix: 'data.prefix',
      style: null,
      accessKeyId: 'data.accessKeyId',
      secretAccessKey: 'data.secretAccessKey',
    },
    check,
    saved: (state) => {
      setResult(undefined)
      queryClient.setQueryData(externalStorageQuery(p).queryKey, state)
      toast.success(t('saved'))
    },
    failed: (error) => setResult(problemOf(error)),
  })
  const { values, set, field } = form

  async function test() {
    setTesting(true)
    setResult(undefined)
    try {
      const answer = await api('POST /api/project/{p}/externalStorage/test', {
        params: { p },
        body: { data: inputOf(values) },
      })
      setResult(answer.problem)
    } catch (error) {
      const [issue] = error instanceof ApiError ? error.issues : []
      setResult({ error: issue ? `${t(labelOf(issue.path))}: ${issueText(issue)}` : errorText(error) })
    } finally {
      setTesting(false)
    }
  }

  function choose(next: Service) {
    setService(next)
    const chosen = services[next]
    set('endpoint', endpointOf(next, chosen.region))
    set('region', chosen.region)
    set('style', chosen.style)
  }

  const isReady = Object.values(check(values)).every((message) => message === null)
  const kept = saved?.endpoint === values.endpoint ? saved : null
  return (
    <Section title={t('title')} description={t('text')}>
      <EndpointForm form={form} guarded autoComplete="off">
        <Select
          label={t('service')}
          data={(Object.keys(services) as Service[]).map((value) => ({
            value,
            label: t(`services.${value}`),
          }))}
          value={service}
          onChange={(value) => value && choose(value as Service)}
          allowDeselect={false}
        />
        <TextInput
          {...field('region', (next) => {
            if (service === 'amazon') set('endpoint', endpointOf('amazon', next.trim()))
          })}
          label={t('region')}
          description={t('regionHint')}
          required
        />
        <TextInput
          {...field('endpoint')}
          label={t('endpoint')}
          description={t('endpointHint')}
          inputMode="url"
          required
        />
        <TextInput {...field('bucket')} label={t('bucket')} required />
        <TextInput {...field('prefix')} label={t('prefix')} description={t('prefixHint')} />
        <Radio.Group
          label={t('style')}
          value={values.style}
          onChange={(next) => set('style', next as Values['style'])}
        >
          <Stack gap={8} mt={6}>
            {(['path', 'host'] as const).map((value) => (
              <Radio
                key={value}
                value={value}
                label={t(`styles.${value}`, { example: exampleOf(value, values.endpoint, values.bucket) })}
              />
            ))}
          </Stack>
        </Radio.Group>
        <TextInput
          {...field('accessKeyId')}
          label={t('accessKeyId')}
          description={kept ? t('keptHint') : t(`keysHint.${service}`)}
          placeholder={kept ? t('keptKey', { last4: kept.accessKeyLast4 }) : ''}
          autoComplete="off"
          required={!kept}
        />
        <PasswordInput
          {...field('secretAccessKey')}
          label={t('secretAccessKey')}
          placeholder={kept ? t('keptSecret') : ''}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t('showSecret') }}
          required={!kept}
        />
        <Result result={result} />
        <SaveBar form={form} label={t('save')} disabled={testing}>
          <Button
            variant="default"
            loading={testing}
            disabled={!isReady || form.saving}
            onClick={() => void test()}
          >
            {t('test')}
          </Button>
        </SaveBar>
      </EndpointForm>
    </Section>
  )
}

/** Returns the name of the field that the server's path (`data.bucket`) refers to, or `title` for an unknown path. */
const labelOf = (path: string) => {
  const name = path.split('.').at(-1)
  const known = ['endpoint', 'region', 'bucket', 'prefix', 'style', 'accessKeyId', 'secretAccessKey'] as const
  return known.find((one) => one === name) ?? 'title'
}

function Result({ result }: { result: StorageProblem | null | { error: string } | undefined }) {
  const t = useTranslations('externalStorage')
  if (result === undefined) return null
  if (result === null)
    return (
      <Alert color="mizu" variant="light" icon={<IconCircleCheck size={18} />} role="status">
        {t('result.good')}
      </Alert>
    )
  const sentences =
    'error' in result
      ? [result.error]
      : [
          t(`reasons.${result.reason}`),
          ...(result.region ? [t('rightRegion', { region: result.region })] : []),
          t('result.step', { step: result.step }),
        ]
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={t('result.bad')}
      role="alert"
    >
      {sentences.join(' ')}
    </Alert>
  )
}
