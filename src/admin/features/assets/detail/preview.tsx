import { Anchor, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { blobUrl, previewUrl, viewUrl } from '#admin/media/asset-addresses.ts'
import { kindOf, titleOfAsset } from '#admin/media/asset-words.ts'
import { ElsewhereNote } from '#admin/media/elsewhere-note.tsx'
import { Thumbnail } from '#admin/media/thumbnail.tsx'
import type { Asset } from '#shared/contract/assets.ts'
import classes from './asset-drawer.module.css'

/** The maximum width of a preview, in pixels. */
export const previewWidth = 1600

/** A preview of the asset: picture, video or audio player, or PDF viewer. Other files get a thumbnail. */
export function Preview({ p, asset }: { p: string; asset: Asset }) {
  const t = useTranslations('assets.detail')
  const title = titleOfAsset(asset)
  switch (kindOf(asset.fileType)) {
    case 'image':
      return <Picture p={p} asset={asset} />
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: the library has no captions; sites add their own.
        <video
          className={classes.media}
          src={viewUrl(p, asset)}
          controls
          preload="metadata"
          aria-label={title}
        />
      )
    case 'audio':
      return (
        // biome-ignore lint/a11y/useMediaCaption: the library has no captions; sites add their own.
        <audio
          className={classes.sound}
          src={viewUrl(p, asset)}
          controls
          preload="metadata"
          aria-label={title}
        />
      )
    case 'pdf':
      return <Pdf p={p} asset={asset} />
    default:
      return (
        <div className={classes.none}>
          <Thumbnail asset={asset} />
          <Text size="sm" c="dimmed">
            {t('noPreview')}
          </Text>
          {asset.elsewhere && <ElsewhereNote asset={asset} />}
        </div>
      )
  }
}

function Picture({ p, asset }: { p: string; asset: Asset }) {
  const t = useTranslations('assets.detail')
  const [broken, setBroken] = useState(false)
  if (broken)
    return (
      <div className={classes.none}>
        <Thumbnail asset={asset} />
        <Text size="sm" c="dimmed">
          {t('noPreview')}
        </Text>
      </div>
    )
  return (
    <img
      className={classes.media}
      src={previewUrl(p, asset, previewWidth)}
      alt={asset.altText || titleOfAsset(asset)}
      {...(asset.width && asset.height ? { width: asset.width, height: asset.height } : {})}
      onError={() => setBroken(true)}
    />
  )
}

/**
 * Shows a link to a PDF and, if the browser has a PDF viewer, the PDF in a frame. The bytes become a blob with a fixed
 * type, so that the browser does not interpret the content as HTML.
 */
function Pdf({ p, asset }: { p: string; asset: Asset }) {
  const t = useTranslations('assets.detail')
  const bytes = useQuery({
    queryKey: ['space', p, 'asset-bytes', asset._id, asset.version],
    queryFn: async ({ signal }) => {
      const answer = await fetch(blobUrl(p, asset), { signal })
      if (!answer.ok) throw new Error(`${answer.status}`)
      return new Blob([await answer.arrayBuffer()], { type: 'application/pdf' })
    },
    gcTime: 0,
  })
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!bytes.data) return
    const made = URL.createObjectURL(bytes.data)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes.data])
  if (bytes.isPending) return <Skeleton height={280} />
  return (
    <div className={classes.none}>
      {url && navigator.pdfViewerEnabled && (
        <iframe className={classes.pdf} src={url} title={titleOfAsset(asset)} />
      )}
      {url && (
        <Anchor size="sm" href={url} target="_blank" rel="noopener">
          {t('openPdf')}
        </Anchor>
      )}
      {bytes.isError && (
        <Text size="sm" c="dimmed">
          {t('noPreview')}
        </Text>
      )}
    </div>
  )
}
