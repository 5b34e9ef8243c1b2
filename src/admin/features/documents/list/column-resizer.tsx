// biome-ignore-all lint/a11y/useSemanticElements: a movable separator is not an `hr`.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { columnWidths } from '#shared/views.ts'
import classes from './list.module.css'
import type { Column, Columns } from './list-columns.ts'
import { columnWidth } from './list-search.ts'

/** Change of the width per arrow key, in pixels. */
const step = 16

/** The separator at the end of a column's header: dragging it or the arrow keys change the column's width. */
export function ColumnResizer({
  column,
  label,
  columns,
}: {
  column: Column
  label: string
  columns: Columns
}) {
  const t = useTranslations('documents.list')
  const begun = useRef<{ x: number; width: number; now: number } | null>(null)
  const setWidth = (width: number) =>
    columns.choose(
      columns.chosen.map((one) => (one.id === column.id ? { ...one, width: columnWidth(width) } : one)),
    )
  const cellOf = (target: EventTarget) => (target as Element).parentElement

  function onPointerDown(event: PointerEvent<HTMLDivElement>) {
    const width = cellOf(event.target)?.getBoundingClientRect().width ?? column.width
    begun.current = { x: event.clientX, width, now: width }
    event.currentTarget.setPointerCapture(event.pointerId)
    event.preventDefault()
  }

  function onPointerMove(event: PointerEvent<HTMLDivElement>) {
    const { current } = begun
    if (!current) return
    current.now = columnWidth(current.width + event.clientX - current.x)
    // During a drag only the separator moves. The list is rendered once, at the end.
    event.currentTarget.style.transform = `translateX(${current.now - current.width}px)`
  }

  function onPointerUp(event: PointerEvent<HTMLDivElement>) {
    const { current } = begun
    begun.current = null
    event.currentTarget.style.transform = ''
    if (current && current.now !== current.width) setWidth(current.now)
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key]
    if (by === undefined) return
    event.preventDefault()
    setWidth((cellOf(event.target)?.getBoundingClientRect().width ?? column.width) + by)
  }

  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t('resize', { name: label })}
      aria-valuenow={column.width}
      aria-valuemin={columnWidths.least}
      aria-valuemax={columnWidths.most}
      tabIndex={0}
      className={classes.resizer}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onKeyDown={onKeyDown}
    />
  )
}
