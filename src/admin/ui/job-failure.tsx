import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import type { JobError } from '#shared/contract/jobs.ts'

interface JobFailureProps {
  error: JobError
  /** Number of failures so far, while the job is being retried. Omitted if the job has ended. */
  again?: number
}

/** Shows why a job failed, on which item, and whether it is retried. Needs the editing texts. */
export function JobFailure({ error: { code, culprit, times, message }, again }: JobFailureProps) {
  const t = useTranslations('jobs')
  const reason = code === 'JobInterrupted' ? t('interrupted') : errorText(new ApiError(500, { code }))
  return (
    <Text size="sm" c="var(--mantine-color-error)" role={again ? undefined : 'alert'}>
      {times ? t('stoppedAfter', { count: times, reason }) : reason}
      {message !== code && code.startsWith('Mail') && (
        <>
          <br />
          {t('mailServer', { message })}
        </>
      )}
      {culprit && (
        <>
          <br />
          {t('culprit', { culprit })}
        </>
      )}
      {again && (
        <>
          <br />
          {t('again', { count: again })}
        </>
      )}
    </Text>
  )
}
