import { jobSlice, Pace } from '#server/lib/pace.ts'
import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { serverTypeOf } from '../fields/index.ts'
import type { Origin } from '../fields/received.ts'
import { findRemovals } from '../text-work.ts'

/**
 * Values for a document in the form that the management API accepts, the paths of values that their fields cannot
 * store, and the changes of HTML.
 */
export interface ReceivedValues {
  values: Record<string, unknown>
  notTaken: string[]
  changes: HtmlChange[]
}

/**
 * HTML that will be delivered in another form: because of markup that the policy removes (`<font>`), or lists in
 * Quill's notation.
 */
export interface HtmlChange {
  /** Path without item indexes, for example `body` or `sections.text`. */
  path: string
  code: 'htmlRemoved' | 'quillHtml'
  kind?: string
}

/** HTML as received. It is checked after all values are converted, because large HTML needs a worker process. */
interface ReceivedHtml extends Pick<HtmlChange, 'path'> {
  html: string
  isQuill: boolean
}

/** A field and the key of its values in the source. The field's custom types are resolved (`resolveFields`). */
export interface ReceivingField {
  from: string
  field: Field
}

/**
 * Converts delivered values to the form that the management API accepts for a document. `texts` are the values as text
 * (`fmt=text`), if known.
 */
export async function receiveValues(
  fields: readonly ReceivingField[],
  received: Record<string, unknown>,
  origin: Origin,
  texts: Record<string, unknown> = {},
): Promise<ReceivedValues> {
  const values: Record<string, unknown> = {}
  const notTaken: string[] = []
  const htmlTexts: ReceivedHtml[] = []
  const pace = new Pace(jobSlice)
  for (const { from, field } of fields) {
    if (!Object.hasOwn(received, from)) continue
    const text = Object.hasOwn(texts, from) ? texts[from] : undefined
    values[field.uid] = await receiveLong(field, received[from], text, from)
  }
  return { values, notTaken, changes: await findChanges() }

  /** Converts a value. Yields to the event loop between the items of a long list. */
  async function receiveLong(field: Field, value: unknown, text: unknown, path: string): Promise<unknown> {
    if (!Array.isArray(value) || value.length === 0 || !isMultiple(field))
      return receive(field, value, text, path)
    const taken: unknown[] = []
    for (const [index, item] of value.entries()) {
      const one = receiveItem(field, item, (Array.isArray(text) ? text : [text])[index], `${path}.${index}`)
      if (one !== null) taken.push(one)
      await pace.giveWay()
    }
    return taken
  }

  function receiveItem(field: Field, item: unknown, text: unknown, path: string): unknown {
    return item === null || item === '' ? (typeOf(field).emptyItem ?? null) : take(field, item, text, path)
  }

  function receive(field: Field, value: unknown, text: unknown, path: string): unknown {
    if (value == null || value === '' || (Array.isArray(value) && value.length === 0)) return null
    if (!isMultiple(field)) return take(field, value, text, path)
    const items = Array.isArray(value) ? value : [value]
    const itemTexts = Array.isArray(text) ? text : [text]
    return items.flatMap((item, index) => {
      const taken = receiveItem(field, item, itemTexts[index], `${path}.${index}`)
      return taken === null ? [] : [taken]
    })
  }

  function take(field: Field, value: unknown, text: unknown, path: string): unknown {
    const { received } = serverTypeOf(field)
    const taken = received.take(value, {
      origin,
      text,
      field,
      inside: (inner, innerValue, innerText) => receive(inner, innerValue, innerText, `${path}.${inner.uid}`),
    })
    if (taken) {
      if (taken.difference === 'leftOut') notTaken.push(path)
      if (received.arrivesAsHtml)
        htmlTexts.push({
          path: path.replace(/\.\d+(?=\.|$)/g, ''),
          html: String(value),
          isQuill: taken.notes?.includes('quill') ?? false,
        })
      return taken.input
    }
    notTaken.push(path)
    return null
  }

  async function findChanges(): Promise<HtmlChange[]> {
    const changes: HtmlChange[] = []
    for (const { path, html, isQuill } of htmlTexts) {
      for (const kind of (await findRemovals(html)).keys()) changes.push({ path, code: 'htmlRemoved', kind })
      if (isQuill) changes.push({ path, code: 'quillHtml' })
      await pace.giveWay()
    }
    return changes
  }
}
