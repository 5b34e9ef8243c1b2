// biome-ignore-all lint/a11y/useFocusableInteractive: the focus is on whole rows.
// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed one by one are no table rows.
import { Text } from '@mantine/core'
import { memo } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { adminFieldType } from '#admin/fields/index.ts'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import type { Document } from '#shared/contract/documents.ts'
import type { Field } from '#shared/fields/index.ts'
import type { ModelPlace } from '../documents.queries.ts'
import classes from './list.module.css'
import { ListCell } from './list-cell.tsx'
import { type Column, type StickyOffsets, valueIn } from './list-columns.ts'
import { StatusCell } from './status-cell.tsx'

interface RowProps {
  document: Document
  title: string
  titleField: Field | undefined
  columns: readonly Column[]
  place: ModelPlace
  sticky: StickyOffsets
  /** Its buttons can be reached by Tab. */
  isActive: boolean
}

/** The cells of a row on a wide screen. */
export const DocumentRow = memo(function DocumentRow(props: RowProps) {
  const { document, title, titleField, columns, place, sticky, isActive } = props
  const cell = { document, place, title }
  return (
    <>
      <ListCell
        {...cell}
        field={titleField}
        className={`${classes.cell} ${classes.titleCell}`}
        style={sticky.title}
      >
        <RowTitle title={title} />
      </ListCell>
      {columns.map((column) => (
        <ListCell
          key={column.id}
          {...cell}
          // What is inside of a value is edited in its document.
          field={column.innerName === undefined ? column.field : undefined}
          className={classes.cell ?? ''}
          style={sticky.columns.get(column.id)}
        >
          {column.id === '_sys.status' ? (
            <StatusCell document={document} place={place} title={title} isActive={isActive} />
          ) : (
            <Cell document={document} column={column} place={place} />
          )}
        </ListCell>
      ))}
    </>
  )
})

/** A document on a small screen: its title, its status, when and by whom it was changed. */
export const DocumentCard = memo(function DocumentCard({ document, title, columns, place }: RowProps) {
  return (
    <div role="gridcell" className={classes.card}>
      <div className={classes.cardTitle}>
        <RowTitle title={title} />
      </div>
      <div className={classes.cardFacts}>
        <DocumentStatusChip status={document._sys.status} />
        <Text size="xs" c="dimmed" truncate>
          <Time at={document._sys.updatedAt} />
          {document._sys.updatedBy && `・${document._sys.updatedBy.name}`}
        </Text>
        {columns
          .filter(({ field }) => field)
          .map((column) => (
            <Text key={column.id} size="xs" className={classes.cardFact}>
              <Cell document={document} column={column} place={place} />
            </Text>
          ))}
      </div>
    </div>
  )
})

function RowTitle({ title }: { title: string }) {
  const t = useTranslations('documents.list')
  return title === '' ? <span className={classes.dimmed}>{t('untitled')}</span> : title
}

function Cell({ document, column, place }: { document: Document; column: Column; place: ModelPlace }) {
  const { _sys: sys } = document
  if (column.field) {
    const Preview = adminFieldType(column.field).preview
    return <Preview field={column.field} value={valueIn(document, column)} place={place} />
  }
  switch (column.id) {
    case '_sys.updatedAt':
      return <Time at={sys.updatedAt} />
    case '_sys.createdAt':
      return <Time at={sys.createdAt} />
    case '_sys.publishedAt':
      return sys.publishedAt ? <Time at={sys.publishedAt} /> : null
    case '_sys.updatedBy':
      return sys.updatedBy?.name ?? null
    case '_sys.createdBy':
      return sys.createdBy?.name ?? null
    default:
      return null
  }
}

function Time({ at }: { at: string }) {
  const format = useFormatter()
  return (
    <time dateTime={at} className={classes.time}>
      {format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  )
}
