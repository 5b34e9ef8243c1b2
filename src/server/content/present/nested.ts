import type { Pace } from '#server/lib/pace.ts'
import { sentEntries } from '#shared/fields/document.ts'
import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { type OpenItem, openItems } from '#shared/fields/walk.ts'
import type { Format } from '../fields/field-type.ts'

type Place = OpenItem['places'][number]

/** How to write the values of one field, at the top level of a document or inside a value. */
export interface InnerPart<Plan> {
  field: Field
  /**
   * Converts the JSON of a stored value to the delivered JSON; undefined omits the key. Not used for expanded
   * references, which have `plans`, nor for assets, which have `isAsset`.
   */
  write(json: string | undefined): string | undefined
  /** The plans of the models that an expanded reference allows. */
  plans?: Plan[]
  isAsset?: true
  format?: Format | undefined
  /**
   * Replaces `write` for values that are not delivered as stored. It may be slow or asynchronous, so it runs before
   * writing.
   */
  convert?(json: string): string | Promise<string>
  /** Returns the part for an inner value; undefined if the inner field is not selected. */
  inner?(place: Place): InnerPart<Plan> | undefined
}

/**
 * A reference within a value, which is written after all contents are loaded. Without `plans`, it refers to an asset.
 */
export interface Reference<Plan> {
  field: Field
  plans: Plan[] | undefined
  format: Format | undefined
  json: string | undefined
}

/**
 * Converts the stored JSON of a value with inner values to delivered JSON. The result consists of pieces with
 * references between them. A single custom value that was never set is written as an object with empty inner values; a
 * single value of several types, as `null`.
 */
export async function presentNested<Plan>(
  part: InnerPart<Plan>,
  json: string | undefined,
  encode: (text: string) => string,
  pace: Pace,
): Promise<(string | Reference<Plan>)[]> {
  const pieces: (string | Reference<Plan>)[] = []
  let text = ''

  async function writeField(key: string, at: InnerPart<Plan>, value: unknown): Promise<void> {
    if (at.inner) {
      text += key
      return writeItems(at, value)
    }
    const stored = value === undefined ? undefined : JSON.stringify(value)
    if (at.plans || at.isAsset) {
      pieces.push(text + key, { field: at.field, plans: at.plans, format: at.format, json: stored })
      text = ''
      return
    }
    if (!at.convert || stored === undefined) {
      const written = at.write(stored)
      if (written !== undefined) text += key + written
      return
    }
    const converting = at.convert(stored)
    text += key + (typeof converting === 'string' ? converting : await converting)
    await pace.giveWay()
  }

  async function writeItems(at: InnerPart<Plan>, value: unknown): Promise<void> {
    const several = isMultiple(at.field)
    const items = openItems(at.field, value === undefined && !several ? {} : value)
    if (several) text += '['
    else if (items.length === 0) text += 'null'
    for (const [index, item] of items.entries()) {
      if (index > 0) text += ','
      await writeItem(at, item)
    }
    if (several) text += ']'
  }

  async function writeItem(at: InnerPart<Plan>, { item, frame, places }: OpenItem): Promise<void> {
    const { nesting } = typeOf(at.field)
    if (!nesting) return
    const written = (value: unknown) => JSON.stringify(encode(String(value)))
    const entries = sentEntries<string | { part: InnerPart<Plan>; value: unknown }>(
      nesting,
      item._id === undefined ? undefined : written(item._id),
      Object.entries(frame).map(([name, value]) => [name, written(value)]),
      places.flatMap((place) => {
        const inner = at.inner?.(place)
        return inner ? [[place.name, { part: inner, value: item[place.key] }]] : []
      }),
    )
    text += '{'
    for (const [name, entry] of entries) {
      // Keys may be omitted, including the first one.
      const key = `${text.endsWith('{') ? '' : ','}${JSON.stringify(name)}:`
      if (typeof entry === 'string') text += key + entry
      else await writeField(key, entry.part, entry.value)
    }
    text += '}'
  }

  await writeItems(part, json === undefined ? undefined : JSON.parse(json))
  return [...pieces, text]
}
