import { Button, Checkbox, Radio, Stack, Text } from '@mantine/core'
import { IconDownload, IconFileExport, IconLock } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { appQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { useFileSize } from '#admin/media/asset-words.ts'
import { JobProgress } from '#admin/ui/job-progress.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { type AppExport, exportFormats } from '#shared/contract/app-exports.ts'
import { appExportQuery } from './app-exports.queries.ts'

/** `/{p}/{a}/-/export` */
export function AppExportPage() {
  const t = useTranslations('appExports')
  const { p, a } = appRoute.useParams()
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  const can = useCanInApp(p, a)
  return (
    <Page
      title={t('title')}
      description={app.name}
      width="narrow"
      actions={
        <Button variant="default" component={Link} {...{ to: `/${p}/${a}/-/settings` }}>
          {t('back')}
        </Button>
      }
    >
      {can('app.manage') ? (
        <Export p={p} a={a} />
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
    </Page>
  )
}

function Export({ p, a }: { p: string; a: string }) {
  const { data, error, refetch } = useQuery(appExportQuery(p, a))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  const isWriting = data.export?.state === 'writing'
  return (
    <>
      {data.export && <Latest found={data.export} downloadUrl={data.downloadUrl} />}
      {!isWriting && <Start p={p} a={a} isFirst={data.export === null} />}
    </>
  )
}

function Start({ p, a, isFirst }: { p: string; a: string; isFirst: boolean }) {
  const t = useTranslations('appExports')
  const queryClient = useQueryClient()
  const [assets, setAssets] = useState(true)
  const [revisions, setRevisions] = useState(false)
  const [format, setFormat] = useState<AppExport['format']>('archive')
  const start = useMutation({
    mutationFn: () =>
      api('POST /api/project/{p}/app/{a}/export', {
        params: { p, a },
        body: { data: { format, assets, revisions } },
      }),
    onSuccess: (answer) => queryClient.setQueryData(appExportQuery(p, a).queryKey, answer),
    onError: (error) => toast.error(errorText(error)),
  })
  return (
    <Section title={t(isFirst ? 'start.title' : 'start.again')} description={t('start.text')}>
      <Stack gap="md" align="flex-start">
        <Radio.Group
          label={t('start.format')}
          value={format}
          onChange={(value) => setFormat(value as AppExport['format'])}
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
      </Stack>
    </Section>
  )
}

function Latest({ found, downloadUrl }: { found: AppExport; downloadUrl: string | null }) {
  const t = useTranslations('appExports')
  const { state, job, stopped } = found
  switch (state) {
    case 'writing':
      return (
        <Section title={t('writing.title')} description={t('writing.text')}>
          <JobProgress
            job={{ progress: null, secondsLeft: null, ...job, cancelRequested: false }}
            label={t('writing.title')}
          />
        </Section>
      )
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
          <Text role="alert">
            {stopped?.code === 'cancelled'
              ? t('failed.cancelled')
              : stopped?.code === 'JobInterrupted'
                ? t('failed.interrupted')
                : errorText(new ApiError(500, { code: stopped?.code ?? '' }))}
          </Text>
        </Section>
      )
  }
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
