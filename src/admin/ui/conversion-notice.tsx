import { Alert, Button } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Model } from '#shared/contract/models.ts'
import classes from './conversion-notice.module.css'
import { JobProgress } from './job-progress.tsx'

/**
 * Shows the progress of a conversion of documents after a model change, or that the conversion was stopped. Renders
 * nothing if there is no conversion. With `onContinue`, the user may resume a stopped conversion. Needs the editing
 * texts.
 */
export function ConversionNotice({
  conversion,
  onContinue,
}: Pick<Model, 'conversion'> & { onContinue?: (() => void) | undefined }) {
  const t = useTranslations('models.conversion')
  if (conversion === null) return null
  const { state, done, total, repeated } = conversion
  if (state === 'stopped')
    return (
      <Alert
        variant="light"
        color="yellow"
        role="status"
        className={classes.notice ?? ''}
        title={t('stopped')}
      >
        <div className={classes.parts}>
          {repeated.length > 0 ? t('repeatedText') : t('stoppedText')}
          {repeated.length > 0 && (
            <ul className={classes.values}>
              {repeated.map(({ field, value }) => (
                <li key={`${field} ${value}`}>{t('repeatedValue', { field, value })}</li>
              ))}
            </ul>
          )}
          {onContinue && (
            <div>
              <Button variant="default" size="compact-sm" onClick={onContinue}>
                {t('continue')}
              </Button>
            </div>
          )}
        </div>
      </Alert>
    )
  const percent = total ? Math.floor((100 * Math.min(done, total)) / total) : 0
  const progress = state === 'running' ? { done, total, unit: 'items' as const } : null
  return (
    <Alert variant="light" className={classes.notice ?? ''} title={t('title', { percent })}>
      <div className={classes.parts}>
        {t('text')}
        <JobProgress job={{ progress, secondsLeft: null, cancelRequested: false }} label={t('label')} />
      </div>
    </Alert>
  )
}
