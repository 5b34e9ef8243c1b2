import { Button, Text } from '@mantine/core'
import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconHandStop,
  IconPlayerPlay,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { JobFailure } from '#admin/ui/job-failure.tsx'
import { JobProgress } from '#admin/ui/job-progress.tsx'
import { StateChip } from '#admin/ui/state-chip.tsx'
import type { InstallationJob, Job } from '#shared/contract/jobs.ts'
import { useJobWords } from './job-words.ts'
import classes from './jobs.module.css'
import type { JobSource } from './jobs.queries.ts'

const looks = {
  waiting: { color: 'gray', icon: IconCircleDashed },
  running: { color: 'mizu', icon: IconPlayerPlay },
  done: { color: 'mizu', icon: IconCircleCheck },
  failed: { color: 'red', icon: IconCircleX },
  stopped: { color: 'red', icon: IconHandStop },
  cancelled: { color: 'gray', icon: IconCircleMinus },
} as const

/** A job of a list. `space`: the job's space, in lists of several spaces; null for jobs of the installation. */
type ShownJob = Job & Partial<Pick<InstallationJob, 'space'>>

/** One job: its name, progress, error and actions. */
export function JobItem({ job, source }: { job: ShownJob; source: JobSource }) {
  const t = useTranslations('jobs')
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: source.key })
  const retry = useMutation({
    mutationFn: () => source.retry(job._id),
    onSuccess: () => toast.success(t('retried')),
    onSettled: refresh,
  })
  const words = useJobWords(job)
  const { name } = words
  const cancel = () =>
    confirm({
      ...words.confirm,
      action: words.cancel.action,
      texts: { Forbidden: t('mayNotCancel') },
      run: async () => {
        await source.cancel(job._id)
        await refresh()
      },
    })
  const isRetry = ['failed', 'stopped', 'cancelled'].includes(job.state)

  return (
    <li className={classes.row}>
      <div className={classes.about}>
        <div className={classes.name}>
          <Text fw={600}>{name}</Text>
          <StateChip {...looks[job.state]} text={words.state} />
        </div>
        <Facts job={job} />
        {job.error && ['failed', 'stopped', 'waiting'].includes(job.state) && (
          <JobFailure error={job.error} />
        )}
        {job.state === 'running' && (
          <div className={classes.progress}>
            <JobProgress job={job} label={name} onCancel={cancel} words={words.cancel} />
          </div>
        )}
      </div>
      {(isRetry || job.state === 'waiting') && (
        <div className={classes.actions}>
          <Button
            variant="default"
            size="compact-md"
            loading={retry.isPending}
            aria-label={isRetry ? words.retry.of : t('runNowOf', { name })}
            onClick={() => retry.mutate()}
          >
            {isRetry ? words.retry.action : t('runNow')}
          </Button>
          {job.state === 'waiting' && (
            <Button variant="default" size="compact-md" aria-label={words.cancel.of} onClick={cancel}>
              {words.cancel.action}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}

function Facts({ job }: { job: ShownJob }) {
  const t = useTranslations('jobs')
  const format = useFormatter()
  const date = (text: string) => format.dateTime(new Date(text), { dateStyle: 'medium', timeStyle: 'medium' })
  const isDue = new Date(job.runAt).getTime() > Date.now()
  const facts = [
    job.space === null ? t('installation') : job.space?.name,
    job.requestedBy?.name && t('requestedBy', { name: job.requestedBy.name }),
    job.state === 'waiting' &&
      (isDue ? t('runsAt', { date: date(job.runAt) }) : t('addedAt', { date: date(job.createdAt) })),
    job.state === 'running' && job.startedAt && t('startedAt', { date: date(job.startedAt) }),
    job.finishedAt && t('finishedAt', { date: date(job.finishedAt) }),
    job.failures > 0 && t('failures', { count: job.failures }),
  ].filter((fact) => typeof fact === 'string' && fact !== '')
  return (
    <div className={classes.meta}>
      {facts.map((fact) => (
        <span key={String(fact)}>{fact}</span>
      ))}
    </div>
  )
}
