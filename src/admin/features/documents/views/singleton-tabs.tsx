import { useQuery } from '@tanstack/react-query'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { readSeenList } from '../list/seen-list.ts'
import classes from './view-tabs.module.css'
import { ViewTabs } from './view-tabs.tsx'
import { viewsQuery } from './views.queries.ts'

interface SingletonTabsProps {
  model: Model
  place: ModelPlace
  /** `_id` of the open document. undefined: a new document. */
  id: string | undefined
}

/** The tabs of the views above a document that a single-document view has opened. */
export function SingletonTabs({ model, place, id }: SingletonTabsProps) {
  const seen = readSeenList(place)
  const isOpened = id === undefined ? seen?.ids.length === 0 : seen?.ids.includes(id)
  const views = useQuery({ ...viewsQuery(place), enabled: seen?.singleton !== undefined })
  if (!seen?.singleton || !isOpened) return null
  const ofModel = views.data?.filter(({ modelUid }) => modelUid === place.m) ?? []
  const view = ofModel.find(({ uid }) => uid === seen.singleton)
  if (!views.isPending && !view) return null
  return (
    // The element has its final height before the views are loaded, so that the form does not move.
    <div className={classes.above}>
      {view && (
        <ViewTabs
          model={model}
          place={place}
          views={ofModel}
          state={{ view, settings: view.settings, edited: false }}
        />
      )}
    </div>
  )
}
