import type { MoveDifference } from '#shared/contract/move-plans.ts'
import { type FieldTypeName, fieldTypeNames, typeOf } from '#shared/fields/index.ts'
import { removalsOf } from '#shared/html-removals.ts'
import { serverTypeOf } from '../fields/index.ts'
import { knownFiles, type Origin, type SeenInside, type SeenValues } from '../fields/received.ts'
import { Repeats, type RepeatsBudget, repeatsBudget } from './repeats.ts'
import { sampleOf } from './sample.ts'

/** Maximum number of different values of a key. With more, the values are not offered as options. */
const mostDistinct = 200
const longestDistinct = 100
/** Maximum number of values of a key that get expensive checks. */
const mostLookedAt = 20
const longestLookedAt = 20_000
const mostSamples = 3
/** Maximum number of different notes per type, such as the `uid`s of models, and of kinds of removed markup. */
const mostNotes = 200

interface Kept {
  notes: Map<string, number>
  differences: Map<MoveDifference, number>
  inner: Map<string, SeenFields>
  /** Kinds of markup that will not be delivered, with counts. */
  removed: Map<string, number>
}

const nothingRemoved: ReadonlyMap<string, number> = new Map()

export type Nothing = 'null' | 'text' | 'list'

/**
 * Statistics and a few samples of all values of one key. Each field type converts values until it refuses one. The
 * remaining types can store all values.
 */
export class Seen implements SeenValues {
  readonly name: string
  items = 0
  filled = 0
  /** Numbers of non-empty lists, and of non-empty values that are not lists. */
  lists = 0
  singles = 0
  /** Number of list items that are null or an empty text. */
  emptyEntries = 0
  readonly nothing: Record<Nothing, number> = { null: 0, text: 0, list: 0 }
  readonly samples: string[] = []
  distinct: Map<string | number, number> | null = new Map()
  readonly repeats: Repeats
  readonly #budget: RepeatsBudget
  readonly #kept = new Map<FieldTypeName, Kept>(
    fieldTypeNames.map((type) => [
      type,
      { notes: new Map(), differences: new Map(), inner: new Map(), removed: new Map() },
    ]),
  )
  #lookedAt = 0

  constructor(name: string, budget: RepeatsBudget) {
    this.name = name
    this.#budget = budget
    this.repeats = new Repeats(budget)
  }

  get isList(): boolean {
    return this.lists + this.nothing.list > 0
  }

  /** Types that can store all values read so far. */
  get keepers(): FieldTypeName[] {
    return [...this.#kept.keys()].filter((type) => !this.isList || typeOf({ type }).canBeMultiple)
  }

  isKeptBy(type: string): boolean {
    return (this.keepers as string[]).includes(type)
  }
  notes(type: string): ReadonlyMap<string, number> {
    return this.#kept.get(type as FieldTypeName)?.notes ?? new Map()
  }
  noted(type: string, note: string): number {
    return this.notes(type).get(note) ?? 0
  }
  inner(type: string): ReadonlyMap<string, SeenFields> {
    return this.#kept.get(type as FieldTypeName)?.inner ?? new Map()
  }
  removed(type: string): ReadonlyMap<string, number> {
    return this.#kept.get(type as FieldTypeName)?.removed ?? new Map()
  }
  differences(type: string): ReadonlyMap<MoveDifference, number> {
    return this.#kept.get(type as FieldTypeName)?.differences ?? new Map()
  }

  /** Records a value. `text` is the value as text, if known. */
  add(value: unknown, text: unknown, origin: Origin, depth = 0): void {
    if (value === null || value === undefined) this.nothing.null++
    else if (value === '') this.nothing.text++
    else if (!Array.isArray(value)) {
      this.singles++
      this.filled++
      this.#addItem(value, text, origin, depth)
    } else if (value.length === 0) this.nothing.list++
    else {
      this.lists++
      this.filled++
      const texts = Array.isArray(text) ? text : []
      for (const [index, item] of value.entries()) {
        if (item === null || item === '') {
          this.nothing.text++
          this.emptyEntries++
        } else this.#addItem(item, texts[index], origin, depth)
      }
    }
  }

  #addItem(value: unknown, text: unknown, origin: Origin, depth: number): void {
    this.items++
    const short = typeof value === 'number' || (typeof value === 'string' && value.length <= longestDistinct)
    if (this.distinct && short) {
      this.distinct.set(value, (this.distinct.get(value) ?? 0) + 1)
      if (this.distinct.size > mostDistinct) this.distinct = null
    }
    if (typeof value === 'string' || typeof value === 'number') this.repeats.add(String(value))
    if (this.samples.length < mostSamples) {
      const sample = sampleOf(value, origin)
      if (sample !== '' && !this.samples.includes(sample)) this.samples.push(sample)
    }
    const isLong = typeof value === 'string' && value.length > longestLookedAt
    const looksCloser = !isLong && this.#lookedAt < mostLookedAt
    if (looksCloser) this.#lookedAt++
    let removals: ReadonlyMap<string, number> | undefined
    for (const [type, kept] of this.#kept) {
      const { received } = serverTypeOf({ type })
      const taken = received.take(value, { origin, text })
      if (!taken) {
        this.#kept.delete(type)
        continue
      }
      for (const note of taken.notes ?? [])
        if (kept.notes.has(note) || kept.notes.size < mostNotes) count(kept.notes, note)
      if (received.arrivesAsHtml) removals ??= removalsOf(String(value))
      const removed = (received.arrivesAsHtml && removals) || nothingRemoved
      for (const [kind, times] of removed)
        if (kept.removed.has(kind) || kept.removed.size < mostNotes) count(kept.removed, kind, times)
      const difference =
        removed.size > 0
          ? 'sanitized'
          : (taken.difference ?? (looksCloser ? received.differs?.(value, taken) : undefined))
      if (difference) count(kept.differences, difference)
      const inside = received.inside?.(value, text)
      if (!inside) continue
      const fields = kept.inner.get(inside.kind) ?? new SeenFields(this.#budget)
      kept.inner.set(inside.kind, fields)
      fields.add(inside.values, inside.texts, origin, depth + 1)
    }
  }

  /**
   * Merges the statistics of another instance. `ofOthers`: true if it read other documents; false if it read other
   * versions of the same documents ({@link Repeats.merge}).
   */
  merge(other: Seen, ofOthers = true): void {
    this.items += other.items
    this.filled += other.filled
    this.lists += other.lists
    this.singles += other.singles
    this.emptyEntries += other.emptyEntries
    for (const form of ['null', 'text', 'list'] as const) this.nothing[form] += other.nothing[form]
    for (const sample of other.samples)
      if (this.samples.length < mostSamples && !this.samples.includes(sample)) this.samples.push(sample)
    if (!other.distinct) this.distinct = null
    for (const [value, times] of other.distinct ?? [])
      this.distinct?.set(value, (this.distinct.get(value) ?? 0) + times)
    if (this.distinct && this.distinct.size > mostDistinct) this.distinct = null
    this.repeats.merge(other.repeats, ofOthers)
    for (const [type, kept] of this.#kept) {
      const others = other.#kept.get(type)
      if (!others) {
        this.#kept.delete(type)
        continue
      }
      for (const [note, times] of others.notes) count(kept.notes, note, times)
      for (const [kind, times] of others.removed) count(kept.removed, kind, times)
      for (const [difference, times] of others.differences) count(kept.differences, difference, times)
      for (const [kind, fields] of others.inner) {
        const known = kept.inner.get(kind) ?? new SeenFields(this.#budget)
        kept.inner.set(kind, known)
        known.merge(fields, ofOthers)
      }
    }
  }
}

function count<Key>(counts: Map<Key, number>, key: Key, times = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + times)
}

/** Maximum number of keys of a model or custom type. */
export const mostFields = 200
/** Maximum depth of nested objects that are examined. Deeper ones are stored as a whole. */
const deepest = 12

/** The keys of objects of one kind, each with its values, in the order of the keys in the objects. */
export class SeenFields implements SeenInside {
  count = 0
  /** Number of times that a key was not recorded because of `mostFields` or `deepest`. */
  refused = 0
  readonly keys = new Map<string, Seen>()
  #order: string[] = []
  readonly #budget: RepeatsBudget

  /** `budget` is shared by the fields that are in memory together. */
  constructor(budget = repeatsBudget()) {
    this.#budget = budget
  }

  /** Adds a key that exists even if it never has a value. */
  expect(key: string): void {
    if (!this.keys.has(key)) this.#addKey(key, this.#order.at(-1), 0)
  }

  /** Records the values of one object. `texts` are the values as text, if known. */
  add(values: Record<string, unknown>, texts: Record<string, unknown>, origin: Origin, depth = 0): void {
    this.count++
    let previous: string | undefined
    for (const key of Object.keys(values)) {
      const seen = this.keys.get(key) ?? this.#addKey(key, previous, depth)
      if (!seen) continue
      previous = key
      seen.add(values[key], Object.hasOwn(texts, key) ? texts[key] : undefined, origin, depth)
    }
  }

  #addKey(key: string, previous: string | undefined, depth: number): Seen | undefined {
    if (this.keys.size >= mostFields || depth > deepest) {
      this.refused++
      return undefined
    }
    const seen = new Seen(key, this.#budget)
    this.keys.set(key, seen)
    // A key that earlier objects lacked is inserted after the key that precedes it here.
    this.#order.splice(previous === undefined ? 0 : this.#order.indexOf(previous) + 1, 0, key)
    return seen
  }

  fields(): Seen[] {
    return this.#order.flatMap((key) => this.keys.get(key) ?? [])
  }

  /** Merges the fields of another instance, like {@link Seen.merge}. */
  merge(other: SeenFields, ofOthers = true): void {
    this.count += other.count
    this.refused += other.refused
    let previous: string | undefined
    for (const seen of other.fields()) {
      const known = this.keys.get(seen.name) ?? this.#addKey(seen.name, previous, 0)
      if (!known) continue
      previous = seen.name
      known.merge(seen, ofOthers)
    }
  }
}

const fileTypes = fieldTypeNames.filter((type) => typeOf({ type }).asset)

/** Checks whether values at this path (`sections.picture`) are known files. */
export function holdsFiles(fields: SeenFields | undefined, path: string): boolean {
  const [key = '', ...inside] = path.split('.')
  const seen = fields?.keys.get(key)
  if (!seen) return false
  if (inside.length > 0)
    return seen.keepers.some((type) =>
      [...seen.inner(type).values()].some((inner) => holdsFiles(inner, inside.join('.'))),
    )
  return fileTypes.some((type) => seen.isKeptBy(type) && knownFiles(type, seen) > 0)
}
