// biome-ignore-all lint/a11y/useSemanticElements: cards positioned one by one are no table cells.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus is on the cells.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys of its cells.
import { Checkbox, Skeleton } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { IconPhotoOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { adminFieldType } from '#admin/fields/index.ts'
import { shownAssetQuery } from '#admin/media/assets.queries.ts'
import { arrowStep } from '#admin/media/grid-shape.ts'
import { Thumbnail } from '#admin/media/thumbnail.tsx'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import type { Document } from '#shared/contract/documents.ts'
import type { Field } from '#shared/fields/index.ts'
import type { CardSize, CoverAspect } from '#shared/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import type { LayoutProps } from '../list/layouts.ts'
import { coverFields } from './day-sources.ts'
import classes from './gallery.module.css'

const gap = 14
/** Height of title and status below the picture, in pixels. */
const wordsHeight = 78
const cardWidths: Record<CardSize, number> = { small: 150, medium: 220, large: 320 }
const heights: Record<CoverAspect, number> = { landscape: 0.625, square: 1, portrait: 1.4 }

/** A virtual grid of documents as cards with a picture. Arrow keys move, Space selects, Enter opens. */
export function Gallery(props: LayoutProps) {
  const { model, place, settings, rows, onVisible, titleOf, onOpen, onChoose, isChosen } = props
  const { ref: measured, width } = useElementSize()
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  /** Whether the next render moves the focus to the active card. */
  const moving = useRef(false)
  const covers = coverFields(model)
  const cover = covers.find(({ uid }) => uid === settings.cover) ?? covers[0]
  const { aspect = 'landscape', size = 'medium' } = settings
  const columns = Math.max(1, Math.floor((width + gap) / (cardWidths[size] + gap)))
  const cardWidth = Math.max(1, (width - (columns - 1) * gap) / columns)
  const pictureHeight = Math.round(cardWidth * heights[aspect])
  const rowHeight = pictureHeight + wordsHeight + gap

  const virtual = useVirtualizer({
    count: Math.ceil(rows.count / columns),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 2,
  })
  const items = virtual.getVirtualItems()
  const from = (items[0]?.index ?? 0) * columns
  const to = Math.min(rows.count, ((items.at(-1)?.index ?? 0) + 1) * columns) - 1
  useEffect(() => onVisible(from, to), [from, to, onVisible])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of a row depends on both.
  useLayoutEffect(() => virtual.measure(), [rowHeight, columns])
  useEffect(() => {
    if (!moving.current) return
    const card = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (!card) return
    moving.current = false
    card.focus({ preventScroll: true })
  })

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    if (event.altKey) return
    const document = rows.rowAt(active)
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight)) * columns
    const step = arrowStep(event.key, active, { columns, page, count: rows.count })
    if (step !== undefined) {
      moving.current = true
      setActive(step)
      virtual.scrollToIndex(Math.floor(step / columns))
    } else if (event.key === ' ' && document && onChoose) onChoose(document, event.shiftKey)
    else if (event.key === 'Enter' && document) onOpen(document)
    else return
    event.preventDefault()
  }

  return (
    <div ref={scroller} className={classes.scroller} data-stale={rows.stale || undefined}>
      <div
        ref={measured}
        role="grid"
        aria-label={model.name}
        aria-rowcount={Math.ceil(rows.count / columns)}
        aria-colcount={columns}
        aria-multiselectable={onChoose !== null}
        aria-busy={rows.stale}
        className={classes.grid}
        onKeyDown={onKeyDown}
        style={{ height: virtual.getTotalSize() }}
      >
        {width > 0 &&
          items.map(({ key, index: row, start }) => (
            <div
              key={key}
              role="row"
              aria-rowindex={row + 1}
              className={classes.row}
              style={{
                transform: `translateY(${start}px)`,
                gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
              }}
            >
              {Array.from({ length: Math.min(columns, rows.count - row * columns) }, (_, column) => {
                const index = row * columns + column
                const document = rows.rowAt(index)
                return (
                  <div
                    key={document?._id ?? index}
                    role="gridcell"
                    data-index={index}
                    aria-colindex={column + 1}
                    aria-selected={onChoose ? document !== undefined && isChosen(document._id) : undefined}
                    tabIndex={index === active ? 0 : -1}
                    className={classes.card}
                    onFocus={() => setActive(index)}
                    onClick={(event) => {
                      if (!document) return
                      const isMark = (event.target as Element).closest('[data-mark]') !== null
                      if (onChoose && (isMark || event.shiftKey)) onChoose(document, event.shiftKey)
                      else onOpen(document, event)
                    }}
                  >
                    {document ? (
                      <Card
                        document={document}
                        title={titleOf(document)}
                        cover={cover}
                        place={place}
                        height={pictureHeight}
                        chosen={onChoose && isChosen(document._id)}
                      />
                    ) : (
                      <Skeleton height={pictureHeight + wordsHeight} radius="md" />
                    )}
                  </div>
                )
              })}
            </div>
          ))}
      </div>
    </div>
  )
}

interface CardProps {
  document: Document
  title: string
  cover: Field | undefined
  place: ModelPlace
  height: number
  /** Whether the card is selected. null: cards cannot be selected. */
  chosen: boolean | null
}

const Card = memo(function Card({ document, title, cover, place, height, chosen }: CardProps) {
  const t = useTranslations('documents.list')
  const picture = cover && adminFieldType(cover).cover?.(cover, document[cover.uid])
  return (
    <>
      <div className={classes.picture} style={{ height }}>
        {picture ? (
          <Cover p={place.p} id={picture} />
        ) : (
          <IconPhotoOff size={28} stroke={1.3} aria-hidden="true" />
        )}
        {chosen !== null && (
          <span className={classes.mark} data-mark>
            <Checkbox
              tabIndex={-1}
              readOnly
              checked={chosen}
              aria-label={t('select', { title: title || t('untitled') })}
              style={{ pointerEvents: 'none' }}
            />
          </span>
        )}
      </div>
      <div className={classes.words}>
        <div className={classes.title} data-empty={title === '' || undefined}>
          {title || t('untitled')}
        </div>
        <DocumentStatusChip status={document._sys.status} />
      </div>
    </>
  )
})

function Cover({ p, id }: { p: string; id: string }) {
  const { data: asset } = useQuery(shownAssetQuery(p, id))
  return asset ? <Thumbnail asset={asset} cover /> : null
}
