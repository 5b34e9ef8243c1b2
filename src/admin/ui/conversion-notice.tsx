import { Alert } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Model } from '#shared/contract/models.ts'
import classes from './conversion-notice.module.css'
import { JobProgress } from './job-progress.tsx'

/**
 * Says that documents still follow a change of their model, how far that is, and what does not work meanwhile; nothing when all
 * have. Needs the texts for editing.
 */
export function ConversionNotice({ conversion }: Pick<Model, 'conversion'>) {
  const t = useTranslations('models.conversion')
  if (conversion === null) return null
  const { state, done, total } = conversion
  if (state === 'stopped')
    return (
      <Alert
        variant="light"
        color="yellow"
        role="status"
        className={classes.notice ?? ''}
        title={t('stopped')}
      >
        {t('stoppedText')}
      </Alert>
    )
  const percent = total ? Math.floor((100 * Math.min(done, total)) / total) : 0
  const progress = state === 'running' ? { done, total } : null
  return (
    <Alert variant="light" className={classes.notice ?? ''} title={t('title', { percent })}>
      <div className={classes.parts}>
        {t('text')}
        <JobProgress job={{ progress, secondsLeft: null, cancelRequested: false }} label={t('label')} />
      </div>
    </Alert>
  )
}
