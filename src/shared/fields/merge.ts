import type { Item } from './field-type.ts'
import { type Field, isMultiple, typeOf } from './index.ts'
import { isSameValue } from './same-value.ts'
import { isItem, isNothing, joinPath, openItems, type StoredValues } from './walk.ts'

/**
 * The result of a three-way merge. Paths consist of uids and of indexes of items in `current`, the values of the other
 * side.
 */
export interface Merged<Value> {
  /** The merged value. Must not be used if there are conflicts. */
  value: Value
  /** Paths that changed between the base and `current`. */
  theirs: string[]
  /** Paths that both sides changed to different values. */
  conflicts: string[]
}

/**
 * Merges the values of two sides, `ours` and `current`, which both started from `base`. Fields are merged individually,
 * including nested fields. List items are matched by `_id`; a list without `_id`s is one value, like a text. Values of
 * fields not in `fields` stay as in `current`.
 */
export function mergeValues(
  fields: Field[],
  base: StoredValues,
  current: StoredValues,
  ours: StoredValues,
): Merged<StoredValues> {
  const places = fields.map((field) => ({ key: field._id, name: field.uid, field }))
  return mergePlaces(places, base, current, ours)
}

function mergePlaces(
  places: { key: string; name: string; field: Field }[],
  base: Item,
  current: Item,
  ours: Item,
): Merged<Item> {
  const merged: Merged<Item> = { value: { ...current }, theirs: [], conflicts: [] }
  for (const { key, name, field } of places) {
    const inner = mergeValue(field, base[key], current[key], ours[key])
    if (inner.value === undefined) delete merged.value[key]
    else merged.value[key] = inner.value
    merged.theirs.push(...inner.theirs.map((path) => joinPath(name, path)))
    merged.conflicts.push(...inner.conflicts.map((path) => joinPath(name, path)))
  }
  return merged
}

/** Merges the values of one field. `undefined` is an empty value. Paths are relative to the field. */
function mergeValue(field: Field, base: unknown, current: unknown, ours: unknown): Merged<unknown> {
  if (isSameValue(current, base)) return { value: ours, theirs: [], conflicts: [] }
  const weChanged = !isSameValue(ours, base)
  const isNested = typeOf(field).nesting !== undefined && current !== undefined
  if (weChanged && isNested && ours !== undefined)
    return isMultiple(field)
      ? mergeItems(field, listOf(base), listOf(current), listOf(ours))
      : mergeItem(field, base, current, ours)
  if (!weChanged || isSameValue(ours, current))
    return { value: current, theirs: isNested ? changes(field, base, current) : [''], conflicts: [] }
  return { value: current, theirs: [''], conflicts: [''] }
}

/** Returns the paths that changed between `base` and `current` in a value that our side did not change. */
function changes(field: Field, base: unknown, current: unknown): string[] {
  if (base === undefined) return ['']
  // With `base` as our side, the merge reports only changes in `current`.
  const { theirs } = isMultiple(field)
    ? mergeItems(field, listOf(base), listOf(current), listOf(base))
    : mergeItem(field, base, current, base)
  return theirs
}

/**
 * Merges one item that both sides have. `base` is `undefined` if both sides created the item. The item is in conflict
 * as a whole if its `_id` or frame differs between the sides.
 */
function mergeItem(field: Field, base: unknown, current: unknown, ours: unknown): Merged<unknown> {
  const [theirItem] = openItems(single(field), current)
  const [ourItem] = openItems(single(field), ours)
  const isOfSameKind = (item: unknown) =>
    isItem(item) &&
    theirItem !== undefined &&
    ['_id', ...(typeOf(field).nesting?.frameKeys ?? [])].every((key) => item[key] === theirItem.item[key])
  if (!theirItem || !ourItem || !isOfSameKind(base ?? current) || !isOfSameKind(ours))
    return { value: current, theirs: [''], conflicts: isSameValue(current, ours) ? [] : [''] }
  const merged = mergePlaces(theirItem.places, isItem(base) ? base : {}, theirItem.item, ourItem.item)
  return { ...merged, value: isNothing(merged.value) ? undefined : merged.value }
}

/** Returns the field with `multiple` switched off, to read one of its items. */
const single = (field: Field): Field => (field.multiple ? { ...field, multiple: false } : field)

const listOf = (value: unknown): Item[] => [value ?? []].flat().filter(isItem)
const idOf = (item: Item) => String(item._id)
const byId = (items: Item[]) => new Map(items.map((item) => [idOf(item), item]))

/**
 * Merges lists. Items added on either side are kept. Items removed on one side are removed, with a conflict if the
 * other side changed them. Moved items keep their new position. The list is in conflict if both sides reordered their
 * common items differently.
 */
function mergeItems(field: Field, base: Item[], current: Item[], ours: Item[]): Merged<unknown> {
  const [before, theirs, mine] = [byId(base), byId(current), byId(ours)]
  const merged: Merged<unknown> = { value: undefined, theirs: [], conflicts: [] }
  const kept = new Map<string, unknown>()
  for (const [index, item] of current.entries()) {
    const id = idOf(item)
    const was = before.get(id)
    const our = mine.get(id)
    if (our) {
      const inner = isSameValue(was, item)
        ? { value: our, theirs: [], conflicts: [] }
        : was && isSameValue(was, our)
          ? { value: item, theirs: changes(single(field), was, item), conflicts: [] }
          : mergeItem(field, was, item, our)
      kept.set(id, inner.value)
      merged.theirs.push(...inner.theirs.map((path) => joinPath(String(index), path)))
      merged.conflicts.push(...inner.conflicts.map((path) => joinPath(String(index), path)))
    } else if (!was) {
      kept.set(id, item)
      merged.theirs.push(String(index))
    } else if (!isSameValue(was, item)) {
      // Our side removed the item, the other side changed it.
      merged.theirs.push(String(index))
      merged.conflicts.push(String(index))
    }
  }
  for (const item of ours) {
    const id = idOf(item)
    const was = before.get(id)
    if (theirs.has(id)) continue
    if (!was) kept.set(id, item)
    else {
      // The other side removed the item, which counts as its change of the list. The list is in conflict if our side
      // changed the item.
      merged.theirs.push('')
      if (!isSameValue(was, item)) merged.conflicts.push('')
    }
  }
  for (const id of before.keys()) if (!theirs.has(id) && !mine.has(id)) merged.theirs.push('')
  const order = mergeOrder([...before.keys()], [...theirs.keys()], [...mine.keys()], kept)
  if (order.moved) merged.theirs.push('')
  if (!order.ids) merged.conflicts.push('')
  const items = (order.ids ?? [...kept.keys()]).map((id) => kept.get(id))
  return {
    value: items.length > 0 ? items : undefined,
    theirs: [...new Set(merged.theirs)],
    conflicts: [...new Set(merged.conflicts)],
  }
}

/**
 * Returns the order of the kept items. `ids` is missing if both sides reordered their common items differently.
 * `moved`: the other side reordered them.
 */
function mergeOrder(
  base: string[],
  theirs: string[],
  ours: string[],
  kept: ReadonlyMap<string, unknown>,
): { ids?: string[]; moved: boolean } {
  const [inTheirs, inOurs] = [new Set(theirs), new Set(ours)]
  const shared = (ids: string[]) => ids.filter((id) => inTheirs.has(id) && inOurs.has(id) && kept.has(id))
  const inBase = new Set(base)
  const was = shared(base).join()
  const [theirOrder, ourOrder] = [shared(theirs), shared(ours)].map((ids) =>
    ids.filter((id) => inBase.has(id)).join(),
  )
  const moved = theirOrder !== was
  if (moved && ourOrder !== was && ourOrder !== theirOrder) return { moved }
  const [leading, other] = moved ? [theirs, ours] : [ours, theirs]
  // Items that are only in `other` are inserted after the item that precedes them in `other`.
  const known = new Set(leading)
  const behind = new Map<string, string[]>()
  let previous = start
  for (const id of other) {
    if (known.has(id)) previous = kept.has(id) ? id : previous
    else if (kept.has(id)) {
      const added = behind.get(previous) ?? []
      behind.set(previous, added)
      added.push(id)
    }
  }
  const ids = [start, ...leading.filter((id) => kept.has(id))].flatMap((id) => [
    id,
    ...(behind.get(id) ?? []),
  ])
  return { ids: ids.slice(1), moved }
}

/** Key of the position before all items. */
const start = ''
