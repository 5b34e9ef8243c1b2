import { IconCloudUpload } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import classes from './drop-overlay.module.css'

/** An overlay shown while files are dragged over the page. */
export function DropOverlay({ shown }: { shown: boolean }) {
  const t = useTranslations('assets.upload')
  if (!shown) return null
  return (
    <div className={classes.overlay}>
      <div className={classes.box}>
        <IconCloudUpload size={44} stroke={1.4} aria-hidden="true" />
        <p>{t('dropHere')}</p>
      </div>
    </div>
  )
}
