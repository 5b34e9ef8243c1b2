import { Drawer, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import {
  type DocumentWindow,
  DocumentWindowContext,
  type WantedDocument,
} from '#admin/fields/document-window.ts'
import { useFocusBack } from '#admin/lib/focus-back.ts'
import { useLayer } from '#admin/lib/layers.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { ErrorState } from '#admin/ui/states.tsx'
import { documentQuery, type ModelPlace } from '../documents.queries.ts'
import { DocumentEditor } from './document-editor.tsx'
import classes from './editor.module.css'

/** Maximum number of documents open in windows over the page's own document. */
const maximumLayers = 3

interface DocumentWindowsProps {
  place: Pick<ModelPlace, 'p' | 'a'>
  /** `_id`s of the open documents; the first is the page's own. null: a new document. */
  below: readonly (string | null)[]
  children: ReactNode
}

/**
 * Lets its children open another document of the app in a window above. Once that document is saved, the window closes
 * and `onSaved` of the {@link WantedDocument} is called.
 */
export function DocumentWindows({ place, below, children }: DocumentWindowsProps) {
  const [wanted, setWanted] = useState<WantedDocument | null>(null)
  const chain = below.join()
  const canOpen = below.length <= maximumLayers
  const value = useMemo<DocumentWindow | null>(
    () => (canOpen ? { open: setWanted, isOpen: (id) => chain.split(',').includes(id) } : null),
    [canOpen, chain],
  )
  return (
    <DocumentWindowContext value={value}>
      {children}
      {wanted && <OverPage place={place} below={below} wanted={wanted} onClose={() => setWanted(null)} />}
    </DocumentWindowContext>
  )
}

interface OverPageProps extends Omit<DocumentWindowsProps, 'children'> {
  wanted: WantedDocument
  onClose: () => void
}

function OverPage({ place, below, wanted, onClose }: OverPageProps) {
  const t = useTranslations('documents.window')
  const { modelUid, id, onSaved } = wanted
  const { p, a } = place
  const inModel = useMemo(() => ({ p, a, m: modelUid }), [p, a, modelUid])
  const model = useQuery(modelQuery(p, a, modelUid))
  // The document always reloads, because a list may have cached an outdated state.
  const document = useQuery({
    ...documentQuery(inModel, id ?? ''),
    enabled: id !== null,
    refetchOnMount: 'always',
  })
  /**
   * Closes the window, asking first about unsaved input. Until the editor has loaded there is no input, so the window
   * closes without a question.
   */
  const askToClose = useRef<() => void>(onClose)
  useFocusBack()
  useLayer(true, () => askToClose.current())

  const name = model.data?.name ?? modelUid
  const failed = [model, document].find(({ isError }) => isError)
  const isHere = model.data !== undefined && (id === null || (document.data && document.isFetchedAfterMount))
  return (
    <Drawer.Root
      opened
      onClose={() => askToClose.current()}
      position="right"
      size={`min(100vw, ${940 - 60 * (below.length - 1)}px)`}
      returnFocus={false}
      transitionProps={{ duration: 100 }}
    >
      <Drawer.Overlay color="#000" backgroundOpacity={0.3} />
      <Drawer.Content aria-label={id === null ? t('new', { model: name }) : t('edit', { model: name })}>
        <div className={classes.window} tabIndex={-1} data-autofocus>
          {failed ? (
            <div className={classes.windowState}>
              <ErrorState error={failed.error} retry={() => void failed.refetch()} />
            </div>
          ) : isHere && model.data ? (
            <DocumentWindows place={place} below={[...below, id]}>
              <DocumentEditor
                model={model.data}
                place={inModel}
                document={document.data ?? null}
                isGone={false}
                onCreated={() => undefined}
                over={{
                  layer: below.length,
                  onSaved: (saved) => {
                    onClose()
                    onSaved(saved)
                  },
                  onClose,
                  askToClose,
                }}
              />
            </DocumentWindows>
          ) : (
            <div className={classes.windowState} aria-busy="true">
              {[40, 120, 40].map((height, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move.
                <Skeleton key={row} height={height} mb={24} />
              ))}
            </div>
          )}
        </div>
      </Drawer.Content>
    </Drawer.Root>
  )
}
