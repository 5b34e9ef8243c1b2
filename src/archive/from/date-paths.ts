import type { Collector } from './collected.ts'
import { isRecord, isZeroDate, momentOf } from './values.ts'

/** Maximum number of paths per model. Values at further paths are read one by one. */
const mostPaths = 5_000

const written = /^\d{4}-\d\d?-\d\d?(?:[T ]|$)/

/** Determines, from all values of a model, which paths of keys contain only dates. */
export class DatePaths {
  readonly #zone: string
  /** By path: whether all values are dates or zero dates, and whether at least one is a date. */
  readonly #paths = new Map<string, { onlyDates: boolean; hasDates: boolean }>()

  constructor(zone: string) {
    this.#zone = zone
  }

  /** Makes `read` return the texts at a path unchanged, even if all of them could be read as dates. */
  keepTexts(path: string): void {
    this.#paths.set(path, { onlyDates: false, hasDates: false })
  }

  add(value: unknown, path: string): void {
    if (Array.isArray(value)) for (const item of value) this.add(item, path)
    else if (isRecord(value))
      for (const [key, inner] of Object.entries(value)) this.add(inner, `${path}.${key}`)
    else if (value !== null && value !== undefined && value !== '') this.#addOne(value, path)
  }

  #addOne(value: unknown, path: string): void {
    const known = this.#paths.get(path)
    if (!known && this.#paths.size >= mostPaths) return
    const isDate = this.#dateOf(value) !== null
    const isZero = typeof value === 'string' && isZeroDate(value)
    this.#paths.set(path, {
      onlyDates: (known?.onlyDates ?? true) && (isDate || isZero),
      hasDates: (known?.hasDates ?? false) || isDate,
    })
  }

  /**
   * Converts a text if its path contains only dates; otherwise returns it unchanged. Returns a date as ISO 8601.
   * Returns a zero date as null if the path also contains real dates.
   */
  read(text: string, path: string): string | null {
    const { onlyDates, hasDates } = this.#paths.get(path) ?? { onlyDates: true, hasDates: false }
    if (!onlyDates) return text
    return hasDates && isZeroDate(text) ? null : (this.#dateOf(text) ?? text)
  }

  #dateOf(value: unknown): string | null {
    return typeof value === 'string' && written.test(value) ? momentOf(value, this.#zone) : null
  }
}

/**
 * Converts the value of a field that the source declares as a date. Returns ISO 8601. For a text that is not a date,
 * such as `0000-00-00`, adds a notice about `label` and returns null. Returns blank texts, and values other than texts,
 * unchanged.
 */
export function dateIn(into: Collector, value: unknown, model: string, label: string): unknown {
  if (typeof value !== 'string' || value.trim() === '') return value
  const moment = momentOf(value, into.zone)
  if (moment === null) into.note('undated', model, label)
  return moment
}
