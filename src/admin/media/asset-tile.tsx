import { IconAlertTriangle, IconCheck, IconLock } from '@tabler/icons-react'
import { memo } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { usePersonName } from '#admin/lib/use-person-name.ts'
import { useFileSize } from '#admin/ui/file-size.ts'
import type { Asset } from '#shared/contract/assets.ts'
import classes from './asset-grid.module.css'
import { extensionOf, kindOf, titleOfAsset } from './asset-words.ts'
import { Thumbnail } from './thumbnail.tsx'

/** The mark that selects a tile on click or tap. Keyboard users press Space instead. */
const Mark = () => (
  <span className={classes.mark} data-mark aria-hidden="true">
    <IconCheck size={14} stroke={3} />
  </span>
)

/** One asset in the grid: picture, name and details. */
export const AssetTile = memo(function AssetTile({ asset }: { asset: Asset }) {
  return (
    <div className={classes.tile}>
      <div className={classes.picture}>
        <Thumbnail asset={asset} />
        <Mark />
      </div>
      <div className={classes.words}>
        <div className={classes.name}>{titleOfAsset(asset)}</div>
        <div className={classes.facts}>
          <Facts asset={asset} />
        </div>
      </div>
    </div>
  )
})

/** One asset in the list. */
export const AssetLine = memo(function AssetLine({ asset }: { asset: Asset }) {
  const size = useFileSize()
  const nameOf = usePersonName()
  const format = useFormatter()
  return (
    <div className={classes.line}>
      <Mark />
      <div className={classes.linePicture}>
        <Thumbnail asset={asset} small />
      </div>
      <div className={classes.lineWords}>
        <div className={classes.name}>{titleOfAsset(asset)}</div>
        <div className={classes.facts}>
          <Facts asset={asset} />
        </div>
      </div>
      <div className={classes.lineFact}>{asset.fileName}</div>
      <div className={classes.lineFact} data-number>
        {size(asset.fileSize)}
      </div>
      <div className={classes.lineFact}>{nameOf(asset.createdBy)}</div>
      <div className={classes.lineFact} data-number>
        {format.dateTime(new Date(asset.createdAt), { dateStyle: 'medium' })}
      </div>
    </div>
  )
})

/** Format, dimensions and notes of an asset. */
function Facts({ asset }: { asset: Asset }) {
  const t = useTranslations('assets')
  const { width, height } = asset
  return (
    <>
      <span>{extensionOf(asset.fileName).toUpperCase() || t(`kinds.${kindOf(asset.fileType)}`)}</span>
      {width !== null && height !== null && (
        <span>
          {width}×{height}
        </span>
      )}
      {asset.elsewhere && (
        <span className={classes.flag} title={t('elsewhere')}>
          <IconAlertTriangle size={12} aria-hidden="true" />
          {t('elsewhereShort')}
        </span>
      )}
      {asset.private && (
        <span className={classes.flag}>
          <IconLock size={12} aria-hidden="true" />
          {t('private')}
        </span>
      )}
      {kindOf(asset.fileType) === 'image' && asset.altText === '' && (
        <span className={classes.flag} title={t('noAltHint')}>
          <IconAlertTriangle size={12} aria-hidden="true" />
          {t('noAlt')}
        </span>
      )}
    </>
  )
}
