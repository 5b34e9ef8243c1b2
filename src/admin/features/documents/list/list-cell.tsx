// biome-ignore-all lint/a11y/useSemanticElements: rows positioned one by one are no table rows.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys of its cells.
import { ActionIcon, Popover, Skeleton } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { type CSSProperties, type ReactNode, Suspense, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { insideLandmark } from '#admin/fields/list-look.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Field } from '#shared/fields/index.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { useCellEditing } from './cell-editing.ts'
import classes from './list.module.css'

const CellEditor = lazyPart(async () => (await import('./cell-editor.tsx')).CellEditor)

/**
 * Time in milliseconds that a click waits for a second one. A single click opens the document, a double click edits the
 * value.
 */
const secondClick = 230

interface ListCellProps {
  document: Document
  field: Field | undefined
  place: ModelPlace
  title: string
  className: string
  style: CSSProperties | undefined
  children: ReactNode
}

/**
 * A value in its row. If the field can be edited in lists, users with the edit right for the document can edit it
 * there. They start by double click, by the pencil, or by Enter or F2 on the focused cell.
 */
export function ListCell(props: ListCellProps) {
  const { document, field, children, className, style } = props
  const editing = useCellEditing()
  if (!field || !editing?.isEditable(document, field))
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: whole rows and editable cells take the focus.
      <div role="gridcell" className={className} style={style}>
        {children}
      </div>
    )
  return (
    <EditableCell {...props} field={field}>
      {children}
    </EditableCell>
  )
}

function EditableCell({
  document,
  field,
  place,
  title,
  className,
  style,
  children,
}: ListCellProps & { field: Field }) {
  const t = useTranslations('documents.list.cell')
  const editing = useCellEditing()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isOpen = editing?.open?.id === document._id && editing.open.uid === field.uid
  const cell = (
    <div
      role="gridcell"
      tabIndex={-1}
      data-field={field.uid}
      className={`${className} ${classes.editable}`}
      style={style}
      data-open={isOpen || undefined}
      onClick={(event) => {
        if (event.shiftKey || event.metaKey || event.ctrlKey) return
        // The click is passed on to the row unless a second one follows.
        if (!event.isTrusted || event.detail === 0) return
        event.stopPropagation()
        clearTimeout(timer.current)
        const row = event.currentTarget.closest<HTMLElement>('[role="row"]')
        if (event.detail === 1) timer.current = setTimeout(() => row?.click(), secondClick)
      }}
      onDoubleClick={() => {
        clearTimeout(timer.current)
        editing?.start(document, field)
      }}
    >
      {children}
      <ActionIcon
        className={classes.pencil}
        variant="default"
        size={26}
        tabIndex={-1}
        // The button is for the mouse only. Keyboard users edit the cell itself, whose name is its value.
        aria-hidden="true"
        title={t('edit', { field: field.name })}
        onClick={(event) => {
          event.stopPropagation()
          editing?.start(document, field)
        }}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        <IconPencil size={14} />
      </ActionIcon>
    </div>
  )
  if (!isOpen) return cell
  return (
    <Popover
      opened
      position="bottom-start"
      offset={2}
      shadow="md"
      portalProps={insideLandmark}
      trapFocus={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withRoles={false}
      hideDetached={false}
    >
      <Popover.Target>{cell}</Popover.Target>
      <Popover.Dropdown
        role="dialog"
        aria-label={t('edit', { field: field.name })}
        className={classes.cellEditor}
      >
        <Suspense fallback={<Skeleton height={36} width={200} />}>
          <CellEditor document={document} field={field} place={place} title={title} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
