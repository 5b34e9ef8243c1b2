import { Button, Group, Loader, Skeleton, Text } from '@mantine/core'
import { IconPhotoSearch, IconUpload } from '@tabler/icons-react'
import { type ClipboardEvent, type DragEvent, Suspense, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { startUploads } from '#admin/media/upload/start-uploads.ts'
import { forgetUpload } from '#admin/media/upload/uploads.ts'
import { useAssetRights } from '#admin/media/use-asset-rights.ts'
import classes from './asset.module.css'
import { AssetCard } from './asset-card.tsx'
import { type AssetInputProps, idsIn } from './asset-props.ts'

const SortableItems = lazyPart(async () => (await import('../sortable-items.tsx')).SortableItems)
const AssetPicker = lazyPart(async () => (await import('#admin/media/picker/asset-picker.tsx')).AssetPicker)

/** The assets of a field in order: chosen from the library, uploaded, dropped or pasted. */
export function AssetField(props: AssetInputProps) {
  const { field, onChange, onBlur, readOnly, issues, id, labelId, describedBy, place } = props
  const t = useTranslations('fields.asset')
  const rights = useAssetRights(place.p)
  /**
   * The part of the value that the picker replaces: the whole value, or the asset at an index. Null: the picker is
   * closed.
   */
  const [picking, setPicking] = useState<'all' | number | null>(null)
  const [uploading, setUploading] = useState(0)
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const ids = idsIn(props.value)
  /** A ref, so that a finished upload is added to the current value. */
  const latest = useRef(ids)
  latest.current = ids
  const room = field.multiple ? (field.maxItems ?? Number.POSITIVE_INFINITY) - ids.length : 1
  const { accept } = field
  const mayUpload = rights.upload && !readOnly
  const mayAdd = !readOnly && (field.multiple || ids.length === 0)

  function change(next: string[]) {
    onChange(field.multiple ? next : next.at(-1))
  }

  function move(from: number, to: number) {
    const moved = ids[from]
    if (moved !== undefined) change(ids.toSpliced(from, 1).toSpliced(to, 0, moved))
  }

  /**
   * Appends assets that are not in the field yet, up to the maximum. In a field for one asset, the last one becomes the
   * value.
   */
  function add(added: string[]) {
    const fresh = added.filter((one) => !latest.current.includes(one))
    if (fresh.length === 0) return
    const all = [...latest.current, ...fresh]
    change(field.multiple ? all.slice(0, field.maxItems ?? undefined) : all)
  }

  async function upload(files: File[]) {
    const taken = files.slice(0, Math.max(0, room))
    if (taken.length === 0) return
    setUploading((count) => count + taken.length)
    const batch = startUploads(place.p, taken, { accept, forForm: true })
    const assets = await batch.done
    setUploading((count) => count - taken.length)
    add(assets.map(({ _id }) => _id))
    // If all uploads succeeded, they are removed from the upload panel, because the field shows the assets. Uploads of
    // duplicate files stay in the panel.
    if (assets.length === batch.ids.length)
      for (const [index, one] of batch.ids.entries()) if (!assets[index]?.duplicateOf) forgetUpload(one)
    onBlur()
  }

  /**
   * Returns whether the event happened inside the field. React also bubbles events from portals, such as the windows
   * that the field opens.
   */
  const isHere = ({ currentTarget, target }: DragEvent | ClipboardEvent) =>
    target instanceof Node && currentTarget.contains(target)

  function take(event: DragEvent | ClipboardEvent, data: DataTransfer) {
    if (!mayUpload || data.files.length === 0 || !isHere(event)) return
    event.preventDefault()
    event.stopPropagation()
    void upload([...data.files])
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: the label is outside, rendered by the field's frame.
    <div
      // If there is no button to choose assets, a jump to the field focuses the group itself.
      {...(mayAdd ? {} : { id, tabIndex: -1 })}
      role="group"
      aria-labelledby={labelId}
      aria-describedby={describedBy}
      className={classes.field}
      data-over={over || undefined}
      data-invalid={issues.length > 0 || undefined}
      onDragOver={(event) => {
        if (!mayUpload || !event.dataTransfer.types.includes('Files') || !isHere(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        take(event, event.dataTransfer)
      }}
      onPaste={(event) => take(event, event.clipboardData)}
    >
      {ids.length > 0 && (
        <Suspense fallback={<Skeleton height={88} />}>
          <SortableItems
            keys={ids}
            names={ids.map((_, index) => t('number', { number: index + 1 }))}
            readOnly={readOnly}
            fixed={ids.length < 2}
            onMove={move}
            onRemove={(index) => {
              change(ids.toSpliced(index, 1))
              onBlur()
            }}
          >
            {(index) => (
              <AssetCard
                p={place.p}
                id={ids[index] ?? ''}
                readOnly={readOnly}
                single={!field.multiple}
                onReplace={() => setPicking(index)}
              />
            )}
          </SortableItems>
        </Suspense>
      )}
      {ids.length === 0 && readOnly && (
        <Text size="sm" c="dimmed">
          {t('nothing')}
        </Text>
      )}
      {mayAdd && (
        <Group gap="sm">
          <Button
            id={id}
            variant="default"
            size="sm"
            leftSection={<IconPhotoSearch size={16} />}
            disabled={room <= 0}
            aria-haspopup="dialog"
            onClick={() => setPicking('all')}
          >
            {t('choose')}
          </Button>
          {mayUpload && (
            <>
              <Button
                variant="default"
                size="sm"
                leftSection={<IconUpload size={16} />}
                disabled={room <= 0}
                onClick={() => input.current?.click()}
              >
                {t('upload')}
              </Button>
              <Text size="xs" c="dimmed">
                {t('dropHere')}
              </Text>
            </>
          )}
        </Group>
      )}
      <div role="status">
        {uploading > 0 && (
          <Group gap={8}>
            <Loader size={14} />
            <Text size="xs">{t('uploading', { count: uploading })}</Text>
          </Group>
        )}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        multiple={field.multiple}
        accept={accept}
        aria-labelledby={labelId}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          // Allows the same file to be chosen again.
          event.currentTarget.value = ''
          void upload(files)
        }}
      />
      {picking !== null && (
        <Suspense>
          <AssetPicker
            p={place.p}
            accept={accept}
            multiple={field.multiple && picking === 'all'}
            maximum={field.maxItems ?? null}
            chosen={picking === 'all' ? ids : []}
            onClose={(assets) => {
              setPicking(null)
              const chosen = assets?.map(({ _id }) => _id)
              if (chosen && picking === 'all') change(chosen)
              else if (chosen?.[0] && picking !== 'all')
                change([...new Set(ids.toSpliced(picking as number, 1, chosen[0]))])
              onBlur()
              // Moves the focus to the field, because the button that opened the window may no longer exist.
              if (chosen && !field.multiple) setTimeout(() => document.getElementById(id)?.focus())
            }}
          />
        </Suspense>
      )}
    </div>
  )
}
