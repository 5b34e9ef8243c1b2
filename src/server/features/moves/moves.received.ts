import { isRecord } from '#archive/shapes.ts'
import type { Origin } from '#server/content/fields/received.ts'
import { type HtmlChange, type ReceivingField, receiveValues } from '#server/content/recognition/receive.ts'
import { readReceived } from '#server/features/documents/documents.service.ts'
import { sha256 } from '#server/lib/ids.ts'
import type { StoredValues, ValueModel } from '#shared/fields/document.ts'
import { idPattern } from '#shared/identifiers.ts'
import { type ArchivedSys, readSys, tryParse } from './moves.contents.ts'

/** A content as it stands in a line, or as a copy in another one. */
export interface ReceivedContent {
  /** As it came; one of ours is made of it by {@link documentId}. */
  id: string
  sys: ArchivedSys
  values: Record<string, unknown>
  /** Of the line; 0 for a copy. */
  bytes: number
}

/** Undefined for a line that is none. */
export function parseContent(line: Buffer): ReceivedContent | undefined {
  const parsed = tryParse(line)?.value
  if (!isRecord(parsed)) return undefined
  const content = { ...contentOf(parsed), bytes: line.length }
  // One without an `_id` is known by its text.
  return content.id === ''
    ? { ...content, id: sha256(line.toString('utf8')).toString('hex').slice(0, 24) }
    : content
}

/** An expanded content as {@link parseContent} answers a line. */
export function contentOf({ _id, _sys, ...values }: Record<string, unknown>): ReceivedContent {
  return { id: typeof _id === 'string' ? _id : '', sys: readSys(_sys), values, bytes: 0 }
}

/** A document's `_id`: its own, or one made of what it had instead. */
export const documentId = (id: string): string =>
  idPattern.test(id) ? id : sha256(id).toString('hex').slice(0, 24)

/** How values become what is stored. */
export interface Conversion {
  model: ValueModel
  fields: readonly ReceivingField[]
  origin: Origin
}

/** The values of a content as they are stored. `texts`: the same as text, where that is known; `leftOut`: keys of what no field keeps. */
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
