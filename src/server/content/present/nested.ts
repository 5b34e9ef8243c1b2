import type { Pace } from '#server/lib/pace.ts'
import { sentEntries } from '#shared/fields/document.ts'
import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { type OpenItem, openItems } from '#shared/fields/walk.ts'
import type { Format } from '../fields/field-type.ts'

type Place = OpenItem['places'][number]

/** How one field's values are written, at the top of a document or inside of a value. */
export interface InnerPart<Plan> {
  field: Field
  /**
   * JSON of a stored value's JSON, undefined to leave its key out; references that expand have plans instead, assets
   * that are shown a mark.
   */
  write(json: string | undefined): string | undefined
  /** One for each model that the documents may be of. */
  plans?: Plan[]
  isAsset?: true
  /** The other form that was asked for. */
  format?: Format | undefined
  /** The same for values that are not answered as they are stored. It takes its time, so it is done before writing. */
  convert?(json: string): string | Promise<string>
  /** Values are made of inner values, which are written by these; undefined for one that was not asked for. */
  inner?(place: Place): InnerPart<Plan> | undefined
}

/** A reference that stands in a value, to be written when all contents are there. Without plans: to an asset. */
export interface Reference<Plan> {
  field: Field
  plans: Plan[] | undefined
  format: Format | undefined
  json: string | undefined
}

/**
 * The JSON of a value with inner values, from that of the stored one; in pieces, between which its references stand.
 * A single value that was never set is an item of empty ones, where nothing has to be known of it for that.
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
      // Keys may be left out, the first one too.
      const key = `${text.endsWith('{') ? '' : ','}${JSON.stringify(name)}:`
      if (typeof entry === 'string') text += key + entry
      else await writeField(key, entry.part, entry.value)
    }
    text += '}'
  }

  await writeItems(part, json === undefined ? undefined : JSON.parse(json))
  return [...pieces, text]
}
