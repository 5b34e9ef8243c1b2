import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useFocusBack } from '#admin/lib/focus-back.ts'
import { titleOfAsset } from '#admin/media/asset-words.ts'
import { assetQuery } from '#admin/media/assets.queries.ts'
import { SideWindow } from '#admin/ui/side-window.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import classes from './asset-drawer.module.css'
import { AssetForm } from './asset-form.tsx'

interface AssetDrawerProps {
  p: string
  id: string
  onClose: () => void
}

/** The details of one asset, at the right of the library. */
export function AssetDrawer({ p, id, onClose }: AssetDrawerProps) {
  const t = useTranslations('assets.detail')
  const asset = useQuery(assetQuery(p, id))
  useFocusBack()
  return (
    <SideWindow
      opened
      onClose={onClose}
      size="min(920px, 100%)"
      title={asset.data ? titleOfAsset(asset.data) : t('heading')}
      classNames={{ title: classes.title ?? '', body: classes.body ?? '' }}
    >
      {asset.isPending ? (
        <SkeletonList rows={3} height={120} />
      ) : asset.error && !asset.data ? (
        <ErrorState error={asset.error} retry={() => void asset.refetch()} />
      ) : (
        <AssetForm p={p} asset={asset.data} onClose={onClose} />
      )}
    </SideWindow>
  )
}
