import { useTranslations } from 'use-intl'
import type { Job } from '#shared/contract/jobs.ts'

/**
 * Jobs that continue where they stopped when they are retried. Their actions are labelled "pause" and "resume", as on
 * the import's page.
 */
const resumable: ReadonlySet<string> = new Set(['moves.check', 'moves.import', 'moves.undo'])

/** Returns the labels of a job and its actions. */
export function useJobWords(job: Pick<Job, 'name' | 'state'>) {
  const t = useTranslations('jobs')
  const moves = useTranslations('moves.working')
  const key = `names.${job.name}` as 'names.jobs.cleanUp'
  const name = t.has(key) ? t(key) : job.name
  if (!resumable.has(job.name))
    return {
      name,
      state: t(`states.${job.state}`),
      cancel: { action: t('cancel'), of: t('cancelOf', { name }), doing: t('cancelling') },
      confirm: { title: t('confirm.title'), message: t('confirm.text', { name }) },
      retry: { action: t('retry'), of: t('retryOf', { name }) },
    }
  return {
    name,
    state: job.state === 'cancelled' ? t('resumable.cancelled') : t(`states.${job.state}`),
    cancel: { action: moves('cancelAction'), of: moves('cancelOf', { name }), doing: moves('cancelling') },
    confirm: { title: moves('cancelTitle'), message: moves('cancelText') },
    retry: { action: moves('retry'), of: t('resumable.retryOf', { name }) },
  }
}
