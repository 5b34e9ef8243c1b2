import { Button, Group, MultiSelect, Stack, Text } from '@mantine/core'
import { IconFilterOff, IconPhotoPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import { SearchBox } from '#admin/ui/search-box.tsx'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import type { Asset } from '#shared/contract/assets.ts'
import { AssetGrid } from '../asset-grid.tsx'
import { filterText, tagsQuery } from '../assets.queries.ts'
import { DropOverlay } from '../upload/drop-overlay.tsx'
import { startUploads } from '../upload/start-uploads.ts'
import { UploadButton } from '../upload/upload-button.tsx'
import { UploadRows } from '../upload/upload-row.tsx'
import { useUploads } from '../upload/uploads.ts'
import { useFileDrop } from '../upload/use-file-drop.ts'
import { useAssetRights } from '../use-asset-rights.ts'
import { useAssetWindow } from '../use-asset-window.ts'
import { AltTexts } from './alt-texts.tsx'
import { ChosenAssets } from './chosen-assets.tsx'
import classes from './picker.module.css'
import { type PickedOptions, usePicked } from './use-picked.ts'

export interface AssetPickerProps extends PickedOptions {
  /** The dialog's title. The default is 画像を選択 or ファイルを選択, depending on `accept`. */
  title?: string
  /** The accepted file types, as in `<input type=file>`: `image/*`. By default all. */
  accept?: string
}

/**
 * A dialog to select assets of the library, with search, tags and upload. It asks for missing alternative texts of
 * pictures that the user may edit.
 */
export function AssetPicker(props: AssetPickerProps) {
  const { p, accept, multiple = false, onClose } = props
  const t = useTranslations('assets.picker')
  const common = useTranslations('common')
  const rights = useAssetRights(p)
  const tags = useQuery(tagsQuery(p)).data ?? []
  const [search, setSearch] = useState('')
  const [chosenTags, setChosenTags] = useState<string[]>([])
  const filter = filterText({ search, accept, tags: chosenTags.join(',') })
  const { rows, onVisible } = useAssetWindow(p, filter)
  const picked = usePicked(props)
  // This dialog covers the upload panel, so it shows its own uploads.
  const [begun, setBegun] = useState<readonly number[]>([])
  const uploads = useUploads().filter((upload) => begun.includes(upload.id) && upload.state !== 'done')
  const over = useFileDrop((files) => void upload(files), rights.upload)
  const narrowed = search !== '' || chosenTags.length > 0

  async function upload(sources: (File | URL)[]) {
    const batch = startUploads(p, multiple ? sources : sources.slice(0, 1), { accept, forForm: true })
    setBegun((before) => [...before, ...batch.ids])
    picked.add(await batch.done)
  }

  /**
   * Toggles an asset. In single mode, closes the dialog with the asset, unless the dialog asks for its alternative
   * text.
   */
  function choose(asset: Asset) {
    if (!multiple && picked.isReady(asset)) onClose([asset])
    else picked.toggle(asset)
  }

  const uploadButton = rights.upload ? (
    <UploadButton
      accept={accept}
      single={!multiple}
      variant="default"
      onSources={(sources) => void upload(sources)}
    />
  ) : null
  const isImage = accept?.startsWith('image/')
  return (
    <Dialog
      onClose={() => onClose(null)}
      title={props.title ?? (isImage ? t('titleImage') : t('titleFile'))}
      size={1040}
    >
      <Stack gap="sm">
        <div className={classes.toolbar}>
          <SearchBox
            className={classes.search ?? ''}
            label={t('search')}
            value={search}
            onSearch={setSearch}
            shortcut={false}
            data-autofocus
          />
          <MultiSelect
            className={classes.tags}
            aria-label={t('tags')}
            placeholder={chosenTags.length === 0 ? t('tags') : ''}
            searchable
            clearable
            data={tags.map(({ _id, name }) => ({ value: _id, label: name }))}
            value={chosenTags}
            onChange={setChosenTags}
          />
          {uploadButton}
        </div>
        <Text size="xs" c="dimmed" role="status">
          {rows.pending || (rows.error && (rows.stale || rows.count === 0))
            ? ''
            : t(rows.isMore ? 'matchingMore' : narrowed ? 'matching' : 'recent', { total: rows.total })}
        </Text>
        {rows.count > 0 && <LoadProblem error={rows.error} retry={rows.retry} />}
        <div className={classes.frame}>
          {rows.pending ? (
            <SkeletonList rows={3} height={110} />
          ) : rows.error && rows.count === 0 ? (
            <ErrorState error={rows.error} retry={rows.retry} />
          ) : rows.count === 0 ? (
            <EmptyState
              icon={
                narrowed ? <IconFilterOff size={32} stroke={1.4} /> : <IconPhotoPlus size={32} stroke={1.4} />
              }
              title={narrowed ? t('noMatch') : t('empty')}
              text={narrowed ? undefined : t('emptyText')}
              action={narrowed ? undefined : uploadButton}
            />
          ) : (
            <AssetGrid
              key={filter}
              className={classes.grid ?? ''}
              rows={rows}
              view="grid"
              label={t('label')}
              isChosen={(id) => picked.ids.includes(id)}
              onOpen={choose}
              onChoose={(asset) => picked.toggle(asset)}
              onVisible={onVisible}
            />
          )}
        </div>
        {uploads.length > 0 && <UploadRows uploads={uploads} />}
        {multiple && picked.assets.length > 1 && <ChosenAssets assets={picked.assets} onMove={picked.move} />}
        <AltTexts assets={picked.asked} texts={picked.altTexts} onText={picked.setAltText} />
        <Group justify="space-between" className={classes.footer ?? ''}>
          <Text size="sm" c="dimmed" role="status">
            {props.maximum == null || !multiple
              ? t('picked', { count: picked.ids.length })
              : t('pickedOf', { count: picked.ids.length, maximum: props.maximum })}
          </Text>
          <Group gap="sm">
            <Button variant="default" onClick={() => onClose(null)}>
              {common('cancel')}
            </Button>
            <Button
              loading={picked.saving}
              disabled={picked.ids.length === 0 && !multiple}
              onClick={() => void picked.finish()}
            >
              {t('apply')}
            </Button>
          </Group>
        </Group>
      </Stack>
      <DropOverlay shown={over} />
    </Dialog>
  )
}
