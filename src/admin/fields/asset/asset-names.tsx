import { useQueries } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { kindOf, titleOfAsset } from '#admin/media/asset-words.ts'
import { shownAssetQuery } from '#admin/media/assets.queries.ts'
import { Thumbnail } from '#admin/media/thumbnail.tsx'
import classes from './asset.module.css'
import { type AssetPreviewProps, idsIn } from './asset-props.ts'

/** Maximum number of assets that a cell shows. */
const shownAssets = 3

/** Assets in one line: pictures as thumbnails, files by name. */
export function AssetNames({ value, place }: AssetPreviewProps) {
  const t = useTranslations('fields.asset')
  const ids = idsIn(value)
  const assets = useQueries({
    queries: ids.slice(0, shownAssets).map((id) => shownAssetQuery(place.p, id)),
  })
  const more = ids.length - shownAssets
  return (
    <span className={classes.names}>
      {assets.map(({ data: asset, isPending }, index) => {
        if (!asset) return isPending ? null : <span key={ids[index]}>{t('gone')}</span>
        const name = titleOfAsset(asset)
        return kindOf(asset.fileType) === 'image' ? (
          <span
            key={asset._id}
            className={classes.cell}
            role="img"
            aria-label={asset.altText || name}
            title={name}
          >
            <Thumbnail asset={asset} cover small />
          </span>
        ) : (
          <span key={asset._id} className={classes.name}>
            {name}
          </span>
        )
      })}
      {more > 0 && <span>{t('others', { count: more })}</span>}
    </span>
  )
}
