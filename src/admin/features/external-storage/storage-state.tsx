import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { JobFailure } from '#admin/ui/job-failure.tsx'
import { JobProgress } from '#admin/ui/job-progress.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { ExternalStorageState } from '#shared/contract/external-storage.ts'
import type { Job } from '#shared/contract/jobs.ts'
import { externalStorageQuery, isUnderWay, moveQuery } from './external-storage.queries.ts'

interface StateProps {
  p: string
  state: ExternalStorageState
}

/** The current storage of files, and the progress of moving them. */
export function StorageState({ p, state: { externalStorage, files, jobId } }: StateProps) {
  const t = useTranslations('externalStorage.now')
  const queryClient = useQueryClient()
  const { data: job } = useQuery({ ...moveQuery(p, jobId ?? ''), enabled: jobId !== null })
  const moving = isUnderWay(job)
  const refresh = () => queryClient.invalidateQueries({ queryKey: externalStorageQuery(p).queryKey })

  // The job changes the storage state, so the state is reloaded when the job ends.
  const outcome = moving ? null : (job?.state ?? null)
  useEffect(() => {
    if (outcome)
      void queryClient.invalidateQueries({ queryKey: externalStorageQuery(p).queryKey, exact: true })
  }, [queryClient, p, outcome])

  const move = useMutation({
    mutationFn: () => api('POST /api/project/{p}/externalStorage/move', { params: { p } }),
    onSuccess: (state) => queryClient.setQueryData(externalStorageQuery(p).queryKey, state),
  })
  const cancel = (id: string) =>
    confirm({
      title: t('cancelTitle'),
      message: t('cancelText'),
      action: t('cancelAction'),
      run: async () => {
        await api('POST /api/project/{p}/job/{id}/cancel', { params: { p, id } })
        await refresh()
      },
    })

  return (
    <Section title={t('title')}>
      <Stack gap="sm">
        <Text>
          {externalStorage
            ? t('external', { bucket: externalStorage.bucket, endpoint: externalStorage.endpoint })
            : t('own')}
        </Text>
        <Text size="sm" c="dimmed">
          {t('count', { total: files.total })}
        </Text>
        {job && moving && <Moving job={job} elsewhere={files.elsewhere} cancel={() => cancel(job._id)} />}
        {!moving && job?.error && (job.state === 'failed' || job.state === 'stopped') && (
          <JobFailure error={job.error} />
        )}
        {!moving && files.elsewhere > 0 && (
          <>
            <Text size="sm">{t('elsewhere', { count: files.elsewhere })}</Text>
            <div>
              <Button variant="default" loading={move.isPending} onClick={() => move.mutate()}>
                {job ? t('moveAgain') : t('move')}
              </Button>
            </div>
          </>
        )}
        {!moving && job?.state === 'done' && files.elsewhere === 0 && files.total > 0 && (
          <Text size="sm">{t('moved')}</Text>
        )}
      </Stack>
    </Section>
  )
}

function Moving({ job, elsewhere, cancel }: { job: Job; elsewhere: number; cancel: () => void }) {
  const t = useTranslations('externalStorage.now')
  const count = job.progress?.total ?? elsewhere
  return (
    <>
      <Text size="sm">
        {job.state === 'running' ? t('moving', { count }) : job.failures > 0 ? t('retrying') : t('waiting')}
      </Text>
      {job.error && job.state === 'waiting' && <JobFailure error={job.error} again={job.failures} />}
      {job.state === 'running' && <JobProgress job={job} label={t('label')} onCancel={cancel} />}
    </>
  )
}
