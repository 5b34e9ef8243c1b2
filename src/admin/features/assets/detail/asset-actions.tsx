import { Button, Group } from '@mantine/core'
import { IconArrowBackUp, IconCrop, IconDownload, IconReplace, IconTrash } from '@tabler/icons-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { toast } from '#admin/lib/toast.ts'
import { blobUrl, previewUrl } from '#admin/media/asset-addresses.ts'
import { kindOf, titleOfAsset } from '#admin/media/asset-words.ts'
import { assetsChanged } from '#admin/media/assets.queries.ts'
import { maximumBytes, maximumFiles, refusalsOf } from '#admin/media/upload/check.ts'
import { sendReplacement } from '#admin/media/upload/transfer.ts'
import { useFileSize } from '#admin/ui/file-size.ts'
import type { Asset } from '#shared/contract/assets.ts'
import { askToDelete } from '../delete-assets.tsx'
import classes from './asset-drawer.module.css'
import type { Region, Turn } from './crop.ts'
import { previewWidth } from './preview.tsx'

const CropDialog = lazyPart(async () => (await import('./crop-dialog.tsx')).CropDialog)

interface AssetActionsProps {
  p: string
  asset: Asset
  readOnly: boolean
  /** Called after the asset was moved to the trash. */
  onGone: () => void
}

/** The actions of an asset: download, crop and rotate, replace, restore the previous file, delete. */
export function AssetActions({ p, asset, readOnly, onGone }: AssetActionsProps) {
  const t = useTranslations('assets.actions')
  const input = useRef<HTMLInputElement>(null)
  const [cropping, setCropping] = useState(false)
  const { replace, share } = useReplace(p, asset)
  const canCrop =
    kindOf(asset.fileType) === 'image' &&
    asset.fileType !== 'image/svg+xml' &&
    asset.width !== null &&
    asset.height !== null

  async function editPicture(change: { rotate?: Turn; region?: Region }) {
    const { asset: next } = await api('PATCH /api/project/{p}/assets/{id}:refresh', {
      params: { p, id: asset._id },
      body: { data: { ...change, version: asset.version } },
    })
    await assetsChanged(p, next)
    toast.success(t('cropped'), {
      label: t('undo'),
      run: () => void restoreFile(p, asset._id, t('restored')),
    })
  }

  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={15} />}
        component="a"
        href={blobUrl(p, asset)}
        download={asset.fileName}
      >
        {t('download')}
      </Button>
      {!readOnly && (
        <>
          {canCrop && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconCrop size={15} />}
              aria-haspopup="dialog"
              onClick={() => setCropping(true)}
            >
              {t('crop')}
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconReplace size={15} />}
            disabled={share !== null}
            onClick={() => input.current?.click()}
          >
            {t('replace')}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            aria-label={t('replace')}
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? []
              event.currentTarget.value = ''
              if (file) void replace(file)
            }}
          />
          {asset.restorable && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconArrowBackUp size={15} />}
              onClick={() => void restoreFile(p, asset._id, t('restored'))}
            >
              {t('restore')}
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={15} />}
            onClick={() => void askToDelete(p, [{ id: asset._id, title: titleOfAsset(asset) }], onGone)}
          >
            {t('delete')}
          </Button>
        </>
      )}
      {share !== null && (
        <progress
          className={classes.progress}
          aria-label={t('replacing')}
          // At `share` 1 the upload is complete. The server's checks take an unknown time, so the bar is indeterminate.
          {...(share < 1 ? { value: share, max: 1 } : {})}
        />
      )}
      {cropping && (
        <Suspense>
          <CropDialog
            src={previewUrl(p, asset, previewWidth)}
            size={{ width: asset.width ?? 1, height: asset.height ?? 1 }}
            onApply={editPicture}
            onClose={() => setCropping(false)}
          />
        </Suspense>
      )}
    </Group>
  )
}

/**
 * Returns a function that replaces the file of an asset. `share`: the uploaded share of the new file, from 0 to 1.
 * null: no replacement is running.
 */
function useReplace(p: string, asset: Asset) {
  const t = useTranslations('assets.actions')
  const upload = useTranslations('assets.upload')
  const size = useFileSize()
  const [share, setShare] = useState<number | null>(null)
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])

  async function replace(file: File) {
    const [refusal] = refusalsOf([file])
    if (refusal) {
      toast.error(upload(`refused.${refusal}`, { files: maximumFiles, size: size(maximumBytes) }))
      return
    }
    const control = new AbortController()
    abort.current = control
    setShare(0)
    try {
      const next = await sendReplacement(p, asset._id, file, {
        onProgress: (sent) => setShare(sent / file.size),
        signal: control.signal,
      })
      await assetsChanged(p, next)
      toast.success(t('replaced'), {
        label: t('undo'),
        run: () => void restoreFile(p, asset._id, t('restored')),
      })
    } catch (error) {
      if (!control.signal.aborted) toast.error(errorText(error))
    }
    if (!control.signal.aborted) setShare(null)
  }

  return { replace, share }
}

/** Restores the file that the asset had before its file was last changed. */
async function restoreFile(p: string, id: string, done: string): Promise<void> {
  try {
    const { asset } = await api('PATCH /api/project/{p}/assets/{id}:refresh', {
      params: { p, id },
      body: { data: { restore: true } },
    })
    await assetsChanged(p, asset)
    toast.success(done)
  } catch (error) {
    toast.error(errorText(error))
  }
}
