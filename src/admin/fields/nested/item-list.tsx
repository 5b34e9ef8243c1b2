import { Button, Group, Text } from '@mantine/core'
import { useCallbackRef } from '@mantine/hooks'
import { IconClipboardPlus, IconPlus } from '@tabler/icons-react'
import { type ReactNode, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { SortableList } from '#admin/ui/sortable.tsx'
import type { Issue } from '#shared/errors.ts'
import type { Field } from '#shared/fields/index.ts'
import { useSortableLabels } from '../sortable-labels.ts'
import { namesOfCopied } from './clipboard.ts'
import { ItemBody, ItemHead } from './item-row.tsx'
import { frameOf, type Item, issuesUnder, kindsOf, moved, placesOf, typeName } from './items.ts'
import classes from './nested.module.css'
import type { NestedContext } from './nested-context.ts'
import { innerId, useOpener } from './reveal.ts'
import type { Change } from './use-change.ts'
import { useItemActions } from './use-item-actions.ts'

const KindPalette = lazyPart(async () => (await import('./kind-palette.tsx')).KindPalette)

interface ItemListProps {
  field: Field
  items: readonly Item[]
  /** Whether the field can contain more than one item. */
  several: boolean
  change: Change<readonly Item[]>
  issues: readonly Issue[]
  id: string
  context: NestedContext
}

/** If there are at most this number of items, they are expanded when the document opens. */
const openAtFirst = 5
/** Height of a collapsed item with its gap, in pixels. */
const foldedHeight = 56
const pageSize = 400

const idOf = (item: Item) => String(item._id)

/** A list of collapsible items. */
export function ItemList({ field, items, several, change, issues, id, context }: ItemListProps) {
  const t = useTranslations('fields.nested')
  const fields = useTranslations('fields')
  const types = useTranslations('models.types')
  const labels = useSortableLabels()
  const host = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(items.length <= openAtFirst ? items.map(idOf) : []),
  )
  const [page, setPage] = useState(0)
  const kinds = useMemo(() => kindsOf(field), [field])
  const { customTypes, lookOf, readOnly } = context

  const toggle = useCallbackRef((key: string) =>
    setOpen((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    }),
  )
  const show = useCallbackRef((index: number, key?: string) => {
    setPage(Math.floor(index / pageSize))
    const shown = key ?? (items[index] && idOf(items[index]))
    if (shown !== undefined) setOpen((before) => new Set(before).add(shown))
  })
  useOpener(id, (name) => show(several ? Number(name) : 0))
  // Called for all items on every key press, so each name is created only once per kind and index.
  const nameOf = useMemo(() => {
    const known = new Map<string, string>()
    const make = (item: Item, number: number) => {
      const kind = kinds && placesOf(field, item)?.[0]?.field
      if (!kind) return fields('item', { number })
      return t('numbered', { name: typeName(kind, customTypes, (type) => types(`${type}.name`)), number })
    }
    return (item: Item, index: number) => {
      const key = `${index} ${kinds ? Object.values(frameOf(field, item)).join() : ''}`
      const name = known.get(key) ?? make(item, index + 1)
      known.set(key, name)
      return name
    }
  }, [kinds, field, customTypes, types, t, fields])
  const actions = useItemActions({
    field,
    items,
    several,
    change,
    show,
    nameOf,
    host,
    id,
    context,
  })
  const { copied } = actions
  const copiedName = useMemo(() => (copied === null ? undefined : namesOfCopied(copied)?.[0]), [copied])
  const maximum = several ? (field.maxItems ?? Number.POSITIVE_INFINITY) : 1
  const full = items.length >= maximum

  const total = items.length
  const pages = Math.max(1, Math.ceil(total / pageSize))
  const first = Math.min(page, pages - 1) * pageSize
  const shown = useMemo(
    () => (items.length <= pageSize ? items : items.slice(first, first + pageSize)),
    [items, first],
  )
  const byItem = useMemo(() => {
    if (issues.length === 0) return null
    if (!several) return [issues.filter(({ path }) => path !== '')]
    return Array.from({ length: total }, (_, index) => issuesUnder(issues, String(index)))
  }, [issues, total, several])
  const renderItem = useCallback(
    (item: Item, at: number, handle: ReactNode) => {
      const index = first + at
      const key = idOf(item)
      const isOpen = open.has(key)
      const itemId = innerId(id, several ? String(index) : '')
      const row = {
        field,
        item,
        id: itemId,
        context,
        issues: byItem?.[index] ?? none,
        name: nameOf(item, index),
      }
      return (
        <div className={classes.item} data-item={index} data-folded={!isOpen || undefined}>
          <div className={classes.head}>
            {several ? handle : null}
            <ItemHead
              {...row}
              id={several ? itemId : `${id}.item`}
              index={index}
              isFirst={index === 0}
              isLast={index === total - 1}
              isOpen={isOpen}
              full={full}
              several={several}
              toggle={toggle}
              actions={actions.forRows}
            />
          </div>
          {isOpen && <ItemBody {...row} change={change} />}
        </div>
      )
    },
    [first, open, id, field, context, byItem, nameOf, several, total, full, toggle, actions.forRows, change],
  )

  const allOpen = shown.length > 0 && shown.every((item) => open.has(idOf(item)))
  return (
    <div
      ref={host}
      className={classes.list}
      {...(shown.length > openAtFirst && {
        'data-long': true,
        style: { containIntrinsicHeight: `auto ${shown.length * foldedHeight}px` },
      })}
      onCopy={actions.onCopy}
      onPaste={actions.onPaste}
    >
      {total > 1 && (
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed">
            {field.maxItems == null
              ? t('items', { count: total })
              : t('itemsOf', { count: total, maximum: field.maxItems })}
          </Text>
          <Button
            variant="subtle"
            color="gray"
            c="var(--mantine-color-text)"
            size="compact-xs"
            onClick={() => setOpen(new Set(allOpen ? [] : shown.map(idOf)))}
          >
            {t(allOpen ? 'foldAll' : 'openAll')}
          </Button>
        </Group>
      )}
      {pages > 1 && (
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-sm"
            disabled={first === 0}
            onClick={() => setPage(first / pageSize - 1)}
          >
            {t('previousPage')}
          </Button>
          <Text size="xs">{t('page', { first: first + 1, last: first + shown.length, total })}</Text>
          <Button
            variant="default"
            size="compact-sm"
            disabled={first + pageSize >= total}
            onClick={() => setPage(first / pageSize + 1)}
          >
            {t('nextPage')}
          </Button>
        </Group>
      )}
      <SortableList
        items={shown}
        getId={idOf}
        getName={(item, at) => nameOf(item, first + at)}
        onMove={(from, to) => change((current) => moved(current, first + from, first + to))}
        labels={labels}
        fixed={readOnly || !several || total < 2}
        className={classes.items ?? ''}
        renderItem={renderItem}
      />
      {total === 0 && readOnly && (
        <Text size="sm" c="dimmed">
          {t('nothing')}
        </Text>
      )}
      {!readOnly && (several || total === 0) && (
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            disabled={full}
            data-add
            onClick={() => actions.insert(total)}
          >
            {t(kinds ? 'addBlock' : 'add')}
          </Button>
          {copiedName !== undefined && (
            <Button
              variant="subtle"
              size="xs"
              maw="100%"
              leftSection={<IconClipboardPlus size={14} />}
              disabled={full}
              onClick={() => actions.forRows.paste(total - 1)}
            >
              {t('paste', { name: copiedName })}
            </Button>
          )}
        </Group>
      )}
      {actions.inserting !== null && kinds && (
        <Suspense>
          <KindPalette
            kinds={kinds}
            customTypes={customTypes}
            lookOf={lookOf}
            onClose={actions.closePalette}
            onChoose={(kind) => actions.choose(kind.frame)}
          />
        </Suspense>
      )}
    </div>
  )
}

const none: readonly Issue[] = []
