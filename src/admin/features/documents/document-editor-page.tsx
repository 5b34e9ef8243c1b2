import { Button, Group, Skeleton } from '@mantine/core'
import { IconFileOff } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState } from '#admin/ui/states.tsx'
import type { Model } from '#shared/contract/models.ts'
import { documentQuery, type ModelPlace } from './documents.queries.ts'
import { DocumentEditor } from './editor/document-editor.tsx'
import { DocumentWindows } from './editor/document-windows.tsx'
import classes from './editor/editor.module.css'
import { addCreated } from './list/seen-list.ts'
import { SingletonTabs } from './views/singleton-tabs.tsx'

/**
 * Maps a new document's `_id` to the key of the editor that created it, so that the editor survives the change of the
 * URL.
 */
const madeBy = new Map<string, string>()

/** `/{p}/{a}/{m}/new` and `/{p}/{a}/{m}/{id}` */
export function DocumentEditorPage() {
  const { p = '', a = '', m = '', id } = useParams({ strict: false })
  const place = { p, a, m }
  const { data: model } = useSuspenseQuery(modelQuery(p, a, m))
  const document = useQuery({ ...documentQuery(place, id ?? ''), enabled: id !== undefined })
  const { field, day, at } = useSearch({ strict: false })
  const key = useEditorKey([p, a, m].join('/'), id)

  if (id !== undefined && !document.data) {
    if (document.isPending) return <EditorSkeleton />
    return isMissing(document.error) ? (
      <Missing model={model} place={place} />
    ) : (
      <Page title={model.name}>
        <ErrorState error={document.error} retry={() => void document.refetch()} />
      </Page>
    )
  }
  return (
    <>
      <SingletonTabs model={model} place={place} id={id} />
      <DocumentWindows key={key} place={place} below={[id ?? null]}>
        <DocumentEditor
          model={model}
          place={place}
          document={document.data ?? null}
          begin={{ field, day }}
          at={at}
          isGone={isMissing(document.error)}
          onCreated={(created) => {
            madeBy.set(created, key)
            addCreated(place, created)
          }}
        />
      </DocumentWindows>
    </>
  )
}

const isMissing = (error: unknown) => error instanceof ApiError && [400, 404].includes(error.status)

let lastNew = 0

/**
 * Returns the React key of the editor. It changes for another document and for each new one, but not when a new
 * document receives its URL.
 */
function useEditorKey(place: string, id: string | undefined): string {
  const keyOf = () => (id === undefined ? `new ${++lastNew}` : (madeBy.get(id) ?? id))
  const [editing, setEditing] = useState(() => ({ place, id, key: keyOf() }))
  if (editing.place === place && editing.id === id) return editing.key
  const next = { place, id, key: keyOf() }
  setEditing(next)
  return next.key
}

function Missing({ model, place }: { model: Model; place: ModelPlace }) {
  const t = useTranslations('documents.editor')
  const list = useTranslations('documents.list')
  return (
    <Page title={model.name} width="narrow">
      <EmptyState
        icon={<IconFileOff size={36} stroke={1.4} aria-hidden="true" />}
        title={t('missing')}
        text={t('missingText')}
        action={
          <Group justify="center" gap="sm">
            <Button renderRoot={(props) => <Link {...props} to="/$p/$a/$m" params={place} />}>
              {t('toList')}
            </Button>
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/trash" params={place} />}
            >
              {list('trash')}
            </Button>
          </Group>
        }
      />
    </Page>
  )
}

function EditorSkeleton() {
  const t = useTranslations('common')
  return (
    <div className={classes.panes} aria-busy="true" role="status" aria-label={t('loading')}>
      <div className={classes.main}>
        {[40, 40, 220, 40, 120].map((height, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move.
          <Skeleton key={row} height={height} mb={28} />
        ))}
      </div>
      <div className={classes.side}>
        <Skeleton height={260} />
      </div>
    </div>
  )
}
