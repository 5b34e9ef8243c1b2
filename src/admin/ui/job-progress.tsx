import { Button } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { JobProgress as Counted, Job } from '#shared/contract/jobs.ts'
import { useFileSize } from './file-size.ts'
import { JobFailure } from './job-failure.tsx'
import classes from './job-progress.module.css'

interface ProgressBarProps {
  /** Progress from 0 to 1; null while the total is unknown. */
  share: number | null
  /** Description of the task for screen readers. */
  label: string
  text?: string
}

export function ProgressBar({ share, label, text }: ProgressBarProps) {
  return (
    <div
      className={classes.bar}
      role="progressbar"
      aria-label={label}
      aria-valuetext={text}
      {...(share === null
        ? { 'data-unknown': true }
        : { 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': Math.round(share * 100) })}
    >
      <div className={classes.fill} style={share === null ? undefined : { width: `${share * 100}%` }} />
    </div>
  )
}

interface JobProgressProps {
  job: Pick<Job, 'progress' | 'secondsLeft' | 'cancelRequested'> & Partial<Pick<Job, 'failures' | 'error'>>
  label: string
  /** Omitted if the job cannot be cancelled. */
  onCancel?: () => void
  /** Wording for jobs that can be resumed after they are stopped. By default the wording is about cancelling. */
  words?: { action: string; of: string; doing: string }
}

/**
 * The progress of a running job: a bar, the amount, the time left, and a button to cancel it. Needs the editing texts.
 */
export function JobProgress({
  job: { progress, secondsLeft, cancelRequested, failures = 0, error },
  label,
  onCancel,
  words,
}: JobProgressProps) {
  const t = useTranslations('jobs')
  const left = useTimeLeft(secondsLeft)
  const total = progress?.total ?? null
  const share = progress && total ? Math.min(1, progress.done / total) : null
  const counted = useCounted()(progress)
  return (
    <div className={classes.progress}>
      <ProgressBar share={share} label={t('progress', { name: label })} text={counted} />
      <div className={classes.words}>
        <span>{counted}</span>
        {left && !cancelRequested && <span>{left}</span>}
        {cancelRequested && <span>{words?.doing ?? t('cancelling')}</span>}
        {onCancel && !cancelRequested && (
          <Button
            variant="default"
            size="compact-sm"
            className={classes.cancel ?? ''}
            aria-label={words?.of ?? t('cancelOf', { name: label })}
            onClick={onCancel}
          >
            {words?.action ?? t('cancel')}
          </Button>
        )}
      </div>
      {failures > 0 && error && <JobFailure error={error} again={failures} />}
    </div>
  )
}

/** Returns a function that formats the progress in the unit of the job. */
function useCounted(): (progress: Counted | null) => string {
  const t = useTranslations('jobs')
  const size = useFileSize()
  return (progress) => {
    if (progress === null) return t('starting')
    const { done, total, unit } = progress
    if (unit === 'share')
      return total ? t('share', { percent: Math.floor((100 * done) / total) }) : t('starting')
    if (unit === 'bytes')
      return total === null ? size(done) : t('countedBytes', { done: size(done), total: size(total) })
    return total === null ? t('countedSoFar', { done }) : t('counted', { done, total })
  }
}

/**
 * Formats the time left: in seconds below 90 seconds, in hours from 90 minutes, otherwise in minutes. Returns null if
 * the time is unknown.
 */
function useTimeLeft(seconds: number | null): string | null {
  const t = useTranslations('jobs.left')
  if (seconds === null) return null
  if (seconds < 90) return t('seconds', { count: Math.max(1, seconds) })
  if (seconds < 5_400) return t('minutes', { count: Math.round(seconds / 60) })
  return t('hours', { count: Math.round(seconds / 3_600) })
}
