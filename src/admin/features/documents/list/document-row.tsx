// biome-ignore-all lint/a11y/useFocusableInteractive: the focus is on whole rows.
// biome-ignore-all lint/a11y/useSemanticElements: rows positioned one by one are no table rows.
import { Text } from '@mantine/core'
import { memo } from 'react'
import { useTranslations } from 'use-intl'
import { adminFieldType } from '#admin/fields/index.ts'
import { usePersonName } from '#admin/lib/use-person-name.ts'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import { Time } from '#admin/ui/time.tsx'
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
  /** Whether the row is the active one, whose buttons are in the tab order. */
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
          // Inner fields can only be edited in the document.
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

/** A document as a card, on a small screen or in the list layout: title, status, last change and the shown fields. */
export const DocumentCard = memo(function DocumentCard({ document, title, columns, place }: RowProps) {
  const nameOf = usePersonName()
  return (
    <div role="gridcell" className={classes.card}>
      <div className={classes.cardTitle}>
        <RowTitle title={title} />
      </div>
      <div className={classes.cardFacts}>
        <DocumentStatusChip status={document._sys.status} />
        <Text size="xs" c="dimmed" truncate>
          <Time at={document._sys.updatedAt} />
          {document._sys.updatedBy && `・${nameOf(document._sys.updatedBy)}`}
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
  const nameOf = usePersonName()
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
      return nameOf(sys.updatedBy)
    case '_sys.createdBy':
      return nameOf(sys.createdBy)
    default:
      return null
  }
}
