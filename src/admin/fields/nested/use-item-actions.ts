import { useCallbackRef } from '@mantine/hooks'
import { type ClipboardEvent, type RefObject, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { toast } from '#admin/lib/toast.ts'
import type { Field } from '#shared/fields/index.ts'
import { fieldIssueText } from '../issue-text.ts'
import { clipboardType, writeCopied } from './clipboard.ts'
import { useCopied } from './copied.ts'
import { type Item, kindsOf, moved, newItem, withNewIds } from './items.ts'
import type { NestedContext } from './nested-context.ts'
import { innerId, whenThere } from './reveal.ts'
import type { Change } from './use-change.ts'

interface Options {
  field: Field
  items: readonly Item[]
  several: boolean
  change: Change<readonly Item[]>
  /** Switches to the page of the item at an index and expands it. `key` is the `_id` of a new item. */
  show: (index: number, key?: string) => void
  nameOf: (item: Item, index: number) => string
  host: RefObject<HTMLElement | null>
  id: string
  context: NestedContext
}

/** The actions on the items of a list. The functions are stable. */
export interface ItemActions {
  insert(index: number): void
  duplicate(index: number): void
  copy(index: number): void
  /** Inserts the copied items after this index; -1 inserts them before all others. */
  paste(index: number): void
  move(from: number, to: number): void
  remove(index: number): void
}

const inputs = 'input:not([type="hidden"], [type="file"]), textarea, [contenteditable="true"]'

/**
 * Returns the first input of an item, outside format bars. Returns null if there is none, or while an earlier part is
 * still being downloaded.
 */
export function firstInput(item: Element): HTMLElement | null {
  const parts = [...item.querySelectorAll<HTMLElement>(`${inputs}, [data-editor], .mantine-Skeleton-root`)]
  const first = parts.find(
    (part) =>
      part.closest('[data-format-bar]') === null &&
      !(part.matches('[data-editor]') && part.querySelector('[contenteditable="true"]')),
  )
  return first?.matches(inputs) ? first : null
}

const isText = (target: EventTarget) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** Returns functions that add, move, remove and copy items of a list. */
export function useItemActions(options: Options) {
  const { field, items, several, change, show, nameOf, host, id, context } = options
  const t = useTranslations('fields.nested')
  const [inserting, setInserting] = useState<number | null>(null)
  const copied = useCopied()
  const room = several ? (field.maxItems ?? Number.POSITIVE_INFINITY) - items.length : 1 - items.length

  const put = useCallbackRef((index: number, added: readonly Item[]) => {
    change((current) => current.toSpliced(index, 0, ...added))
    const [first] = added
    if (first) show(index, String(first._id))
  })

  const add = useCallbackRef((index: number, frame: Item) => {
    const item = newItem(field, frame, context.lookOf)
    setInserting(null)
    put(index, [item])
    void focusFirst(index)
  })

  /** Focuses a new item, then its first input when it has loaded. */
  async function focusFirst(index: number): Promise<void> {
    const head = await whenThere(() =>
      document.getElementById(several ? innerId(id, String(index)) : `${id}.item`),
    )
    head?.focus()
    const item = head?.closest('[data-item]')
    const input = item ? await whenThere(() => firstInput(item)) : null
    // The user may have moved the focus in the meantime.
    if (document.activeElement === head) input?.focus()
  }

  const insert = useCallbackRef((index: number) => {
    if (room < 1) return
    if (kindsOf(field)) setInserting(index)
    else add(index, {})
  })
  const duplicate = useCallbackRef((index: number) => {
    const item = items[index]
    if (item && room >= 1) put(index + 1, [withNewIds(item)])
  })
  const move = useCallbackRef((from: number, to: number) => change((current) => moved(current, from, to)))
  const remove = useCallbackRef((index: number) => {
    const item = items[index]
    if (!item) return
    change((current) => current.filter((one) => one !== item))
    toast.success(t('removed', { name: nameOf(item, index) }), {
      label: t('undo'),
      run: () =>
        change((current) =>
          current.some((one) => one._id === item._id) ? current : current.toSpliced(index, 0, item),
        ),
    })
    const heads = host.current?.querySelectorAll<HTMLElement>(':scope > ol > li > [data-item]')
    const next = heads?.[Math.max(0, index - 1)]?.querySelector<HTMLElement>('[aria-expanded]')
    setTimeout(() => {
      const target = next?.isConnected ? next : host.current?.querySelector<HTMLElement>('[data-add]')
      target?.focus()
    })
  })

  const copy = useCallbackRef((index: number) => {
    const item = items[index]
    if (!item) return
    const write = (event: Event) => {
      event.preventDefault()
      event.stopImmediatePropagation()
      const { clipboardData } = event as unknown as globalThis.ClipboardEvent
      if (clipboardData) writeCopied(clipboardData, [{ name: nameOf(item, index), item }])
    }
    // Not every browser supports custom types in `navigator.clipboard`.
    document.addEventListener('copy', write, { capture: true, once: true })
    const done = document.execCommand('copy')
    document.removeEventListener('copy', write, { capture: true })
    if (done) toast.success(t('copied'))
    else toast.error(t('copyFailed'))
  })

  const indexAt = (target: EventTarget): number => {
    const row = target instanceof Element ? target.closest('[data-item]') : null
    return row && host.current?.contains(row) ? Number(row.getAttribute('data-item')) : -1
  }

  function onCopy(event: ClipboardEvent<HTMLElement>) {
    const index = indexAt(event.target)
    const item = items[index]
    if (isText(event.target) || !item || document.getSelection()?.isCollapsed === false) return
    event.preventDefault()
    event.stopPropagation()
    writeCopied(event.clipboardData, [{ name: nameOf(item, index), item }])
    toast.success(t('copied'))
  }

  function onPaste(event: ClipboardEvent<HTMLElement>) {
    const text = event.clipboardData.getData(clipboardType)
    if (isText(event.target) || text === '' || context.readOnly) return
    event.preventDefault()
    event.stopPropagation()
    const index = indexAt(event.target)
    void putCopied(text, index < 0 ? items.length : index + 1)
  }

  /** Inserts the copied items that fit, and shows why the others do not. */
  async function putCopied(text: string, at: number) {
    const { readCopied } = await loadScript(() => import('./read-copied.ts'))
    const copied = readCopied(text, field)
    if (!copied) {
      toast.error(t('unreadable'))
      return
    }
    for (const { name, issue } of copied.refused)
      toast.error(t('doesNotFit', { name, reason: fieldIssueText(field, issue) }))
    const fitting = copied.items.slice(0, Math.max(0, room))
    if (fitting.length < copied.items.length) toast.error(t('noRoom'))
    if (fitting.length === 0) return
    put(at, fitting)
    toast.success(t('pasted', { count: fitting.length }))
  }

  const paste = useCallbackRef((index: number) => {
    if (copied !== null) void putCopied(copied, index + 1)
  })

  const stable = useMemo<ItemActions>(
    () => ({ insert, duplicate, copy, paste, move, remove }),
    [insert, duplicate, copy, paste, move, remove],
  )
  return {
    forRows: stable,
    copied,
    insert,
    inserting,
    choose: (frame: Item) => inserting !== null && add(inserting, frame),
    closePalette: () => setInserting(null),
    onCopy,
    onPaste,
  }
}
