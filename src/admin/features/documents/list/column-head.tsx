// biome-ignore-all lint/a11y/useFocusableInteractive: the button in a column header takes the focus.
// biome-ignore-all lint/a11y/useSemanticElements: columns placed by CSS grid are no table cells.
import { UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { CSSProperties } from 'react'
import { useTranslations } from 'use-intl'
import type { Model } from '#shared/contract/models.ts'
import { ColumnResizer } from './column-resizer.tsx'
import classes from './list.module.css'
import type { Column, Columns } from './list-columns.ts'
import { isSortable } from './list-query.ts'

interface ColumnHeadProps {
  model: Model
  columns: Columns
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  id: string
  label: string
  style: CSSProperties | undefined
  /** Set if the width of the column can be changed: for all columns except the title. */
  column?: Column
}

/**
 * A column's name. In sortable columns it is a button that cycles through ascending, descending and the default order.
 */
export function ColumnHead(props: ColumnHeadProps) {
  const { model, sort, onSort, id, label, style, column, columns } = props
  const t = useTranslations('documents.list')
  const resizer = column && <ColumnResizer column={column} label={label} columns={columns} />
  // The default order: latest change first.
  const current = sort ?? '-_sys.updatedAt'
  const direction = current === id ? 'ascending' : current === `-${id}` ? 'descending' : undefined
  if (!isSortable(model, id))
    return (
      <div role="columnheader" className={classes.headCell} style={style}>
        {label}
        {resizer}
      </div>
    )
  const next =
    direction === 'ascending' ? `-${id}` : direction === 'descending' && sort !== undefined ? undefined : id
  return (
    <div
      role="columnheader"
      className={classes.headCell}
      style={style}
      {...(direction ? { 'aria-sort': direction } : {})}
    >
      <UnstyledButton
        className={classes.sort}
        onClick={() => onSort(next)}
        title={t('sortBy', { name: label })}
      >
        <span>{label}</span>
        {direction === 'ascending' && <IconArrowUp size={14} aria-hidden="true" />}
        {direction === 'descending' && <IconArrowDown size={14} aria-hidden="true" />}
      </UnstyledButton>
      {resizer}
    </div>
  )
}
