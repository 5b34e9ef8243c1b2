import { IconFile, IconFileTypePdf, IconMovie, IconMusic, IconPhoto } from '@tabler/icons-react'
import { useState } from 'react'
import type { Asset } from '#shared/contract/assets.ts'
import { type AssetKind, extensionOf, kindOf } from './asset-words.ts'
import { placeholderUrl } from './placeholder.ts'
import classes from './thumbnail.module.css'

const icons: Record<AssetKind, typeof IconFile> = {
  image: IconPhoto,
  video: IconMovie,
  audio: IconMusic,
  pdf: IconFileTypePdf,
  other: IconFile,
}

interface ThumbnailProps {
  asset: Pick<Asset, 'thumbnail' | 'placeholder' | 'fileType' | 'fileName'>
  /** Whether the picture fills the whole frame and is cropped. */
  cover?: boolean
  /** Whether the icon of an asset without a thumbnail is small and has no file extension, for small frames. */
  small?: boolean
}

/**
 * A thumbnail of an asset, which fills its frame. A blurred placeholder is shown until it has loaded. If there is no
 * thumbnail or it fails to load, an icon of the asset's kind is shown. The thumbnail is hidden from screen readers.
 */
export function Thumbnail({ asset, cover = false, small = false }: ThumbnailProps) {
  const { thumbnail } = asset
  const [state, setState] = useState<{ url: string | null; is: 'loaded' | 'broken' } | null>(null)
  const is = state?.url === thumbnail ? state.is : undefined
  if (!thumbnail || is === 'broken') {
    const Sign = icons[kindOf(asset.fileType)]
    return (
      <span className={classes.sign} aria-hidden="true">
        <Sign size={small ? 20 : 36} stroke={1.3} />
        {!small && <span>{extensionOf(asset.fileName).toUpperCase()}</span>}
      </span>
    )
  }
  const blurred = is === 'loaded' ? undefined : placeholderUrl(asset.placeholder)
  return (
    <span
      className={classes.frame}
      style={blurred ? { backgroundImage: `url(${blurred})` } : undefined}
      data-cover={cover || undefined}
      aria-hidden="true"
    >
      <img
        src={thumbnail}
        alt=""
        loading="lazy"
        decoding="async"
        draggable={false}
        data-loaded={is === 'loaded' || undefined}
        onLoad={() => setState({ url: thumbnail, is: 'loaded' })}
        onError={() => setState({ url: thumbnail, is: 'broken' })}
      />
    </span>
  )
}
