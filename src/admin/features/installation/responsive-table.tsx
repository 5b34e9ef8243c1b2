import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './lists.module.css'

export interface Column<Row> {
  title: string
  /** The kind of the column's values. Numbers and dates do not wrap. Omitted: text. */
  kind?: 'number' | 'date'
  cell: (row: Row) => ReactNode
}

interface ResponsiveTableProps<Row> {
  label: string
  /** The columns. The first column names the row. */
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

/**
 * A table that shows its rows as cards on a narrow screen. Roles are explicit, because browsers drop the roles of
 * tables whose `display` changes.
 */
export function ResponsiveTable<Row>({ label, columns, rows, keyOf }: ResponsiveTableProps<Row>) {
  return (
    <Table className={classes.table} role="table" aria-label={label}>
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map(({ title, kind }) => (
            <Table.Th key={title} role="columnheader" data-kind={kind}>
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)} role="row">
            {columns.map(({ title, kind, cell }, index) =>
              index === 0 ? (
                <Table.Th key={title} role="rowheader">
                  {cell(row)}
                </Table.Th>
              ) : (
                <Table.Td key={title} role="cell" data-label={title} data-kind={kind}>
                  <div>{cell(row)}</div>
                </Table.Td>
              ),
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
