import { Button, Checkbox, Radio, Stack, Text } from '@mantine/core'
import { IconDownload, IconFileExport } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { useFileSize } from '#admin/ui/file-size.ts'
import { JobFailure } from '#admin/ui/job-failure.tsx'
import { JobProgress } from '#admin/ui/job-progress.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { type AppExport, exportFormats } from '#shared/contract/app-exports.ts'
import { appExportQuery } from './app-exports.queries.ts'

/** The scope of an export: an app, or all apps of the space if `a` is omitted. */
interface Exported {
  p: string
  a?: string | undefined
}

/** Shows the latest export and, unless an export is being written, a form to start one. */
export function Export(exported: Exported) {
  const { data, error, refetch } = useQuery(appExportQuery(exported))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  const isWriting = data.export?.state === 'writing'
  return (
    <>
      {data.export && <Latest {...exported} found={data.export} downloadUrl={data.downloadUrl} />}
      {!isWriting && <Start {...exported} isFirst={data.export === null} />}
    </>
  )
}

function Start({ p, a, isFirst }: Exported & { isFirst: boolean }) {
  const t = useTranslations('appExports')
  const queryClient = useQueryClient()
  const refusal = useRefusal()
  const [assets, setAssets] = useState(true)
  const [revisions, setRevisions] = useState(false)
  const [format, setFormat] = useState<AppExport['format']>('archive')
  const start = useMutation({
    mutationFn: () =>
      a === undefined
        ? api('POST /api/project/{p}/export', { params: { p }, body: { data: { assets, revisions } } })
        : api('POST /api/project/{p}/app/{a}/export', {
            params: { p, a },
            body: { data: { format, assets, revisions } },
          }),
    onSuccess: (answer) => queryClient.setQueryData(appExportQuery({ p, a }).queryKey, answer),
    meta: { ownErrors: true },
  })
  return (
    <Section
      title={t(isFirst ? (a === undefined ? 'space.start' : 'start.title') : 'start.again')}
      description={t(a === undefined ? 'space.startText' : 'start.text')}
    >
      <Stack gap="md" align="flex-start">
        {a !== undefined && <Formats value={format} onChange={setFormat} />}
        {format === 'archive' && (
          <>
            <Checkbox
              label={t('start.assets')}
              description={t('start.assetsText')}
              checked={assets}
              onChange={({ currentTarget: { checked } }) => setAssets(checked)}
            />
            <Checkbox
              label={t('start.revisions')}
              description={t('start.revisionsText')}
              checked={revisions}
              onChange={({ currentTarget: { checked } }) => setRevisions(checked)}
            />
          </>
        )}
        <Text size="sm" c="dimmed">
          {t('start.without')}
        </Text>
        <Button
          leftSection={<IconFileExport size={16} />}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          {t('start.action')}
        </Button>
        {start.isError && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {refusal(start.error)}
          </Text>
        )}
      </Stack>
    </Section>
  )
}

/**
 * Returns a function that describes why an export could not start. Names the apps that are still being filled, if the
 * response lists them.
 */
function useRefusal(): (error: unknown) => string {
  const t = useTranslations('appExports.filling')
  const format = useFormatter()
  return (error) => {
    const apps =
      error instanceof ApiError && error.code === 'AppIsBeingFilled' ? error.details.apps : undefined
    if (!Array.isArray(apps) || apps.length === 0) return errorText(error)
    return t('text', { apps: format.list(apps.map((name) => t('name', { name: String(name) }))) })
  }
}

function Formats({
  value,
  onChange,
}: {
  value: AppExport['format']
  onChange: (format: AppExport['format']) => void
}) {
  const t = useTranslations('appExports')
  return (
    <Radio.Group
      label={t('start.format')}
      value={value}
      onChange={(chosen) => onChange(chosen as AppExport['format'])}
    >
      <Stack gap="sm" mt="xs">
        {exportFormats.map((one) => (
          <Radio
            key={one}
            value={one}
            label={t(`formats.${one}.name`)}
            description={t(`formats.${one}.text`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

function Latest({ p, a, found, downloadUrl }: Exported & { found: AppExport; downloadUrl: string | null }) {
  const t = useTranslations('appExports')
  const { state, stopped } = found
  if (stopped?.code === 'cancelled')
    return (
      <Section title={t('cancelled.title')}>
        <Text>{t('cancelled.text')}</Text>
      </Section>
    )
  switch (state) {
    case 'writing':
      return <Writing p={p} a={a} found={found} />
    case 'ready':
      return <Ready found={found} downloadUrl={downloadUrl} />
    case 'expired':
      return (
        <Section title={t('expired.title')}>
          <Text>{t('expired.text')}</Text>
        </Section>
      )
    default:
      return (
        <Section title={t('failed.title')}>
          <JobFailure error={stopped ?? { code: 'InternalServerError', message: '' }} />
        </Section>
      )
  }
}

/**
 * Shows the progress of an export. Only users with `space.update` can cancel it here, because another member may have
 * started it.
 */
function Writing({ p, a, found: { job } }: Exported & { found: AppExport }) {
  const t = useTranslations('appExports')
  const queryClient = useQueryClient()
  const can = useCanInSpace(p)
  const cancel = (id: string) =>
    confirm({
      title: t('writing.cancelTitle'),
      message: t('writing.cancelText'),
      action: t('writing.cancel'),
      run: async () => {
        await api('POST /api/project/{p}/job/{id}/cancel', { params: { p, id } })
        await queryClient.invalidateQueries({ queryKey: appExportQuery({ p, a }).queryKey })
      },
    })
  return (
    <Section title={t('writing.title')} description={t('writing.text')}>
      <JobProgress
        job={job ?? { progress: null, secondsLeft: null, cancelRequested: false }}
        label={t('writing.title')}
        {...(job && can('space.update') ? { onCancel: () => cancel(job._id) } : {})}
      />
    </Section>
  )
}

function Ready({ found, downloadUrl }: { found: AppExport; downloadUrl: string | null }) {
  const t = useTranslations('appExports')
  const format = useFormatter()
  const size = useFileSize()
  const { fileName, fileSize, missing, finishedAt, expiresAt } = found
  const date = (time: string | null) =>
    time === null ? '' : format.dateTime(new Date(time), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Section title={t('ready.title')} description={t('ready.text', { until: date(expiresAt) })}>
      <Stack gap="md" align="flex-start">
        <Text size="sm">
          <strong>{fileName}</strong>
          <br />
          {t('ready.about', { size: size(fileSize ?? 0), date: date(finishedAt) })}
        </Text>
        {missing > 0 && (
          <Text size="sm" c="var(--mantine-color-error)">
            {t('ready.missing', { count: missing })}
          </Text>
        )}
        {downloadUrl && (
          <Button
            component="a"
            href={downloadUrl}
            download={fileName}
            leftSection={<IconDownload size={16} />}
          >
            {t('ready.action')}
          </Button>
        )}
      </Stack>
    </Section>
  )
}
