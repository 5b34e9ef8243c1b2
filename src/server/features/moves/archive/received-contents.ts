import { isRecord } from '#archive/shapes.ts'
import type { Origin } from '#server/content/fields/received.ts'
import { type HtmlChange, type ReceivingField, receiveValues } from '#server/content/recognition/receive.ts'
import { readReceived } from '#server/features/documents/documents.service.ts'
import { sha256 } from '#server/lib/ids.ts'
import type { StoredValues, ValueModel } from '#shared/fields/document.ts'
import { idPattern } from '#shared/identifiers.ts'
import { type ArchivedSys, readSys, tryParse } from './archive-lines.ts'

/** A content from a line of the archive, or a copy inside another content. */
export interface ReceivedContent {
  /** `_id` at the source. {@link documentId} converts it to the document's `_id`. */
  id: string
  sys: ArchivedSys
  values: Record<string, unknown>
  /** Length of the line in bytes; 0 for a copy. */
  bytes: number
}

/** Parses a line. Returns undefined if it is not a content. */
export function parseContent(line: Buffer): ReceivedContent | undefined {
  const parsed = tryParse(line)?.value
  if (!isRecord(parsed)) return undefined
  const content = { ...contentOf(parsed), bytes: line.length }
  // A content without an `_id` is identified by the hash of its line.
  return content.id === ''
    ? { ...content, id: sha256(line.toString('utf8')).toString('hex').slice(0, 24) }
    : content
}

/** Converts a content that is embedded in another content to the form that {@link parseContent} returns. */
export function contentOf({ _id, _sys, ...values }: Record<string, unknown>): ReceivedContent {
  return { id: typeof _id === 'string' ? _id : '', sys: readSys(_sys), values, bytes: 0 }
}

/** Returns the `_id` of the document: the source's `_id` if it is valid, otherwise one derived from it. */
export const documentId = (id: string): string =>
  idPattern.test(id) ? id : sha256(id).toString('hex').slice(0, 24)

export interface Conversion {
  model: ValueModel
  fields: readonly ReceivingField[]
  origin: Origin
}

/**
 * Converts the values of a content to stored values. `texts`: the same values as text, if known. `leftOut`: keys of
 * values that no field can store. `changes`: HTML that will be delivered in another form.
 */
export async function storedValues(
  { model, fields, origin }: Conversion,
  values: Record<string, unknown>,
  texts: Record<string, unknown> | undefined,
): Promise<{ values: StoredValues; leftOut: string[]; changes: HtmlChange[] }> {
  const received = await receiveValues(fields, values, origin, texts)
  const { values: stored, issues } = await readReceived(model, received.values)
  const fromOf = new Map(fields.map(({ from, field }) => [field.uid, from]))
  const refused = issues.map(({ path }) => fromOf.get(path.split('.')[0] ?? '') ?? path)
  const keys = [...received.notTaken.map((path) => path.split('.')[0] ?? path), ...refused]
  return { values: stored, leftOut: [...new Set(keys)], changes: received.changes }
}
