import { htmlToText, textToHtml } from './html-text.ts'
import { type Field, type FieldTypeName, isMultiple, typeOf } from './index.ts'

/** How a value fared when its field changed. */
export interface Conversion {
  /** The value in the field's new shape; undefined when nothing is left of it. */
  value: unknown
  /** Why something of it was lost, if anything was. */
  lost: 'removed' | 'typeChanged' | 'multipleOff' | null
}

/** What conversions need from their surroundings. */
export interface ConversionEnvironment {
  /** Markdown as the HTML that sites receive. */
  renderMarkdown(source: string): string
}

/** An item in its new type, before that type reads it; `lossy` when something of it is gone already. */
type ItemConversion = (
  item: unknown,
  environment?: ConversionEnvironment,
) => { item: unknown; lossy?: boolean }

const same: ItemConversion = (item) => ({ item })
const toText: ItemConversion = (item) => ({ item: String(item) })
const toNumber: ItemConversion = (item) => ({ item: readDecimal(String(item)) })

/** The changes of type that keep what they can. Any other pair loses the values. */
const conversions: Partial<Record<`${FieldTypeName}>${FieldTypeName}`, ItemConversion>> = {
  'TEXT>MARKDOWN': same,
  'MARKDOWN>TEXT': same,
  'TEXT>RICH_TEXT': (item) => ({ item: textToHtml(String(item)) }),
  'RICH_TEXT>MARKDOWN': same, // HTML is Markdown
  'MARKDOWN>RICH_TEXT': (item, environment) => ({ item: environment?.renderMarkdown(String(item)).trim() }),
  'RICH_TEXT>TEXT': (item) => {
    const text = htmlToText(String(item))
    return { item: text, lossy: textToHtml(text) !== item }
  },
  'NUMBER>TEXT': toText,
  'SELECT>TEXT': toText,
  'DATE>TEXT': same,
  'TEXT>NUMBER': toNumber,
  'TEXT>DATE': same,
  'TEXT>SELECT': same,
  'NUMBER>SELECT': same,
  'SELECT>NUMBER': toNumber,
  'SELECT>SELECT': same,
}

/** A number as people write one; anything else stays text, which no number field takes. */
function readDecimal(text: string): unknown {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : text
}

/** Do stored values of `from` need {@link convertValue} to be values of `to`? */
export function needsConversion(from: Field, to: Field): boolean {
  if (from.type !== to.type || isMultiple(from) !== isMultiple(to)) return true
  if (from.type === 'SELECT' && to.type === 'SELECT') return from.valueType !== to.valueType
  if (from.type === 'REFERENCE' && to.type === 'REFERENCE') return from.modelUid !== to.modelUid
  return false
}

/** A stored value of the field `from` as one of `to`, which is null when the field is removed. */
export function convertValue(
  from: Field,
  to: Field | null,
  value: unknown,
  environment?: ConversionEnvironment,
): Conversion {
  if (value === undefined) return { value: undefined, lost: null }
  if (to === null) return { value: undefined, lost: 'removed' }
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const kept: unknown[] = []
  let lost: Conversion['lost'] = null
  for (const item of items) {
    const converted = convertItem(from, to, item, environment)
    if (converted === null || converted.lossy) lost = 'typeChanged'
    if (converted && converted.item !== undefined) kept.push(converted.item)
  }
  if (kept.length === 0) return { value: undefined, lost }
  if (isMultiple(to)) return { value: kept, lost }
  return { value: kept[0], lost: lost ?? (kept.length > 1 ? 'multipleOff' : null) }
}

function convertItem(
  from: Field,
  to: Field,
  item: unknown,
  environment: ConversionEnvironment | undefined,
): { item: unknown; lossy?: boolean } | null {
  const otherTarget = from.type === 'REFERENCE' && to.type === 'REFERENCE' && from.modelUid !== to.modelUid
  if (otherTarget) return null
  const convert = conversions[`${from.type}>${to.type}`] ?? (from.type === to.type ? same : undefined)
  if (!convert) return null
  const converted = convert(item, environment)
  const type = typeOf(to)
  let read = type.parse(converted.item, to)
  // A select of numbers that was one of texts, or the other way round.
  if (!read.ok && to.type === 'SELECT')
    read = type.parse(to.valueType === 'number' ? readDecimal(String(item)) : String(item), to)
  return read.ok ? { ...converted, item: read.value } : null
}

/**
 * A value that an older version of the model stored (in a revision), as the field reads today. What cannot be read
 * is undefined; nothing is ever thrown. A text may have been of any type, so HTML must be sanitised before use.
 */
export function fitValue(field: Field, value: unknown): unknown {
  if (value === undefined) return undefined
  const type = typeOf(field)
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const fitted = items.flatMap((item) => {
    const read = type.parse(item, field)
    if (read.ok) return read.value === undefined ? [] : [read.value]
    const guess = conversions[`${typeof item === 'number' ? 'NUMBER' : 'TEXT'}>${field.type}`]
    const again = guess ? type.parse(guess(item).item, field) : read
    return again.ok && again.value !== undefined ? [again.value] : []
  })
  if (fitted.length === 0) return undefined
  return isMultiple(field) ? fitted : fitted[0]
}
