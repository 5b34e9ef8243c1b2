import { Button, Text, Title } from '@mantine/core'
import { IconFilterOff, IconPhotoPlus, IconTags, IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { nothingSelected, type Selection, selectRange, toggleAll, toggleRow } from '#admin/lib/selection.ts'
import { AssetGrid } from '#admin/media/asset-grid.tsx'
import { titleOfAsset } from '#admin/media/asset-words.ts'
import { assetPageSize, filterText } from '#admin/media/assets.queries.ts'
import { DropOverlay } from '#admin/media/upload/drop-overlay.tsx'
import { startUploads } from '#admin/media/upload/start-uploads.ts'
import { UploadButton } from '#admin/media/upload/upload-button.tsx'
import { useFileDrop } from '#admin/media/upload/use-file-drop.ts'
import { useAssetRights } from '#admin/media/use-asset-rights.ts'
import { useAssetWindow } from '#admin/media/use-asset-window.ts'
import { useDocumentTitle } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import type { Asset } from '#shared/contract/assets.ts'
import { askToDelete } from '../delete-assets.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { FolderPane } from './folder-pane.tsx'
import classes from './library.module.css'
import { filterOf, isNarrowed, type LibrarySearch } from './library-search.ts'
import { LibraryToolbar } from './library-toolbar.tsx'

const AssetDrawer = lazyPart(async () => (await import('../detail/asset-drawer.tsx')).AssetDrawer)
const TagsDialog = lazyPart(async () => (await import('../tags/tags-dialog.tsx')).TagsDialog)

/** `/{p}/-/assets`: the media library of a space. Search, filters and the open asset are in the URL. */
export function LibraryPage() {
  const t = useTranslations('assets')
  const { p = '' } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as LibrarySearch
  const navigate = useNavigate()
  const rights = useAssetRights(p)
  const [selection, setSelection] = useState<Selection>(nothingSelected)
  const [managingTags, setManagingTags] = useState(false)
  useDocumentTitle(t('title'))

  const filter = filterText(filterOf(search))
  const { rows, page, onVisible } = useAssetWindow(p, filter, (search.page ?? 1) - 1)
  const narrowed = isNarrowed(search)
  const isTrash = search.trash === 'true'
  // Accepts dropped files anywhere on the page. Otherwise the browser would navigate to a dropped file.
  const over = useFileDrop(upload, rights.upload)

  usePageInAddress(search, page + 1, rows.count > 0)

  function go(next: LibrarySearch, replace = true) {
    void navigate({ to: '/$p/-/assets', params: { p }, search: next, replace, resetScroll: false })
  }

  function change(next: LibrarySearch) {
    setSelection(nothingSelected)
    onVisible(0, 0)
    go(next)
  }

  function upload(sources: readonly (File | URL)[]) {
    startUploads(p, sources)
  }

  // Every bulk action requires at least this right.
  const mayChoose = rights.upload
  const rowOf = (asset: Asset) => ({ id: asset._id, title: titleOfAsset(asset) })
  const loaded = rows.loaded.map(rowOf)

  function choose(asset: Asset, range: boolean) {
    setSelection((before) =>
      range ? selectRange(before, loaded, rowOf(asset)) : toggleRow(before, rowOf(asset)),
    )
  }

  /** Opens the details of an asset. An asset in the trash is selected instead, because it can only be restored. */
  function open(asset: Asset) {
    if (!isTrash) go({ ...search, open: asset._id }, false)
    else if (mayChoose) choose(asset, false)
  }

  function onKey(event: React.KeyboardEvent, asset: Asset | undefined): boolean {
    if (event.key === 'a' && (event.ctrlKey || event.metaKey) && mayChoose) {
      setSelection(toggleAll(selection, loaded))
      return true
    }
    if (event.key === 'Escape' && selection.chosen.size > 0) {
      setSelection(nothingSelected)
      return true
    }
    if ((event.key !== 'Delete' && event.key !== 'Backspace') || isTrash) return false
    const only = selection.chosen.size === 0 && asset && rights.edit(asset) ? [rowOf(asset)] : null
    const targets = only ?? [...selection.chosen].map(([id, title]) => ({ id, title }))
    if (targets.length > 0 && rights.upload) askToDelete(p, targets, () => setSelection(nothingSelected))
    return true
  }

  const uploadButton = rights.upload && !isTrash ? <UploadButton onSources={upload} /> : null
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <div className={classes.titles}>
          <Title order={1}>{isTrash ? t('trash.title') : t('title')}</Title>
          {isTrash && (
            <Text size="sm" c="dimmed">
              {t('trash.text')}
            </Text>
          )}
        </div>
        <div className={classes.actions}>
          {rights.manageTags && (
            <Button
              variant="default"
              leftSection={<IconTags size={16} />}
              aria-haspopup="dialog"
              onClick={() => setManagingTags(true)}
            >
              {t('tags.manage')}
            </Button>
          )}
          {uploadButton}
        </div>
      </header>
      <div className={classes.body}>
        <FolderPane p={p} search={search} onChange={change} canManage={rights.manageTags} />
        <div className={classes.main}>
          <LibraryToolbar p={p} search={search} onChange={change} onView={go} />
          <div className={classes.strip}>
            {selection.chosen.size > 0 ? (
              <BulkBar p={p} trash={isTrash} selection={selection} onSelection={setSelection} />
            ) : (
              <Text size="sm" c="dimmed" role="status">
                {rows.pending || (rows.error && (rows.stale || rows.count === 0))
                  ? ''
                  : t(rows.isMore ? 'matchingMore' : narrowed ? 'matching' : 'total', { total: rows.total })}
              </Text>
            )}
          </div>
          {rows.count > 0 && <LoadProblem error={rows.error} retry={rows.retry} />}
          {rows.pending ? (
            <SkeletonList rows={5} height={120} />
          ) : rows.error && rows.count === 0 ? (
            <ErrorState error={rows.error} retry={rows.retry} />
          ) : rows.count === 0 ? (
            <Nothing narrowed={narrowed} isTrash={isTrash} uploadButton={uploadButton}>
              <Button variant="default" onClick={() => change(isTrash ? { trash: 'true' } : {})}>
                {t('clearFilters')}
              </Button>
            </Nothing>
          ) : (
            <AssetGrid
              // A different filter remounts the list, so that it starts at the top.
              key={filter}
              className={classes.grid ?? ''}
              rows={rows}
              view={search.view ?? 'grid'}
              label={t('title')}
              isChosen={(id) => selection.chosen.has(id)}
              onOpen={open}
              onChoose={mayChoose ? choose : null}
              onKey={onKey}
              onVisible={onVisible}
              initialIndex={((search.page ?? 1) - 1) * assetPageSize}
            />
          )}
        </div>
      </div>
      <DropOverlay shown={over} />
      {search.open && (
        <Suspense>
          <AssetDrawer
            key={search.open}
            p={p}
            id={search.open}
            onClose={() => {
              const { open: _, ...rest } = search
              go(rest)
            }}
          />
        </Suspense>
      )}
      {managingTags && (
        <Suspense>
          <TagsDialog p={p} onClose={() => setManagingTags(false)} />
        </Suspense>
      )}
    </div>
  )
}

interface NothingProps {
  narrowed: boolean
  isTrash: boolean
  uploadButton: React.ReactNode
  /** The button that removes the filters. */
  children: React.ReactNode
}

function Nothing({ narrowed, isTrash, uploadButton, children }: NothingProps) {
  const t = useTranslations('assets')
  const art = { size: 36, stroke: 1.4, 'aria-hidden': true } as const
  if (narrowed)
    return (
      <EmptyState
        icon={<IconFilterOff {...art} />}
        title={t('noMatch')}
        text={t('noMatchText')}
        action={children}
      />
    )
  if (isTrash)
    return <EmptyState icon={<IconTrash {...art} />} title={t('trash.empty')} text={t('trash.emptyText')} />
  return (
    <EmptyState
      icon={<IconPhotoPlus {...art} />}
      title={t('empty')}
      text={uploadButton ? t('emptyText') : t('emptyTextReader')}
      action={uploadButton}
    />
  )
}

/**
 * Stores the visible page in the URL once the page has not changed for 400 ms, so that returning restores the position.
 */
function usePageInAddress(search: LibrarySearch, page: number, isLoaded: boolean): void {
  const navigate = useNavigate()
  const latest = useRef(search)
  latest.current = search
  useEffect(() => {
    if (!isLoaded) return
    const timer = setTimeout(() => {
      if (page === (latest.current.page ?? 1)) return
      const { page: _, ...rest } = latest.current
      const next = page > 1 ? { ...rest, page } : rest
      void navigate({ to: '.', search: next, replace: true, resetScroll: false })
    }, 400)
    return () => clearTimeout(timer)
  }, [page, isLoaded, navigate])
}
