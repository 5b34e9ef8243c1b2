import type { HtmlChange } from '#server/content/recognition/receive.ts'
import type { ImportedDocument } from '#server/features/documents/documents.service.ts'
import type { IndexedLines } from '../archive/indexed-lines.ts'
import {
  type Conversion,
  documentId,
  parseContent,
  type ReceivedContent,
  storedValues,
} from '../archive/received-contents.ts'
import type { ModelSurvey, Published } from '../archive/survey.ts'
import { sameInBothViews } from './same-in-both-views.ts'

export interface ConversionContext extends ModelSurvey {
  published: Published | null
  conversion: Conversion
}

/** A document, the keys of values that could not be stored, and the changes of its HTML. */
export interface Converted {
  document: ImportedDocument
  leftOut: string[]
  changes: HtmlChange[]
}

/** Converts a content to a document with its draft and published states. */
export async function toDocument(api: ReceivedContent, context: ConversionContext): Promise<Converted> {
  const { cdn, texts, conversion, published } = context
  const inCdn = await readLine(cdn, api.id)
  const read = await storedValues(conversion, api.values, await textsOf(texts.api, api))
  const document = documentOf(api, inCdn, read.values, context)
  const { leftOut, changes } = read
  if (!inCdn || !document.pub) return { document, leftOut, changes }
  const same = sameInBothViews(api.values, inCdn.values, published)
  const other = conversion.fields.filter(
    ({ from }) => !same.has(from) && (from in api.values || from in inCdn.values),
  )
  if (other.length === 0) return { document, leftOut, changes }
  const before = await storedValues(
    { ...conversion, fields: other },
    inCdn.values,
    await textsOf(texts.cdn, inCdn),
  )
  const pub = { ...read.values }
  for (const { field } of other) delete pub[field._id]
  Object.assign(pub, before.values)
  return {
    document: { ...document, pub },
    leftOut: [...new Set([...leftOut, ...before.leftOut])],
    changes: [...changes, ...before.changes],
  }
}

/** Returns the times and the publication state of a content, without its values. */
export async function stateOf(
  api: ReceivedContent,
  model: Pick<ModelSurvey, 'cdn' | 'choiceOf'>,
): Promise<ImportedDocument> {
  return documentOf(api, await readLine(model.cdn, api.id), {}, model)
}

function documentOf(
  { id, sys }: ReceivedContent,
  inCdn: ReceivedContent | undefined,
  current: ImportedDocument['current'],
  { cdn, choiceOf }: Pick<ModelSurvey, 'cdn' | 'choiceOf'>,
): ImportedDocument {
  const choice = choiceOf(sys)
  const isInView = cdn ? inCdn !== undefined : sys.publishedAt !== null
  const isPublished = choice ? choice === 'publish' : isInView
  const createdAt = timeOf(sys.createdAt) ?? new Date(0)
  const updatedAt = timeOf(sys.updatedAt) ?? createdAt
  const publishedAt = timeOf(inCdn?.sys.publishedAt) ?? timeOf(sys.publishedAt) ?? updatedAt
  const firstPublishedAt = timeOf(sys.firstPublishedAt)
  return {
    id: documentId(id),
    current,
    pub: isPublished ? current : null,
    customOrder: sys.customOrder,
    createdAt,
    updatedAt,
    firstPublishedAt: isPublished ? (firstPublishedAt ?? publishedAt) : firstPublishedAt,
    publishedAt: isPublished ? publishedAt : null,
    publishedUpdatedAt: isPublished ? (timeOf(inCdn?.sys.updatedAt) ?? updatedAt) : null,
  }
}

function timeOf(text: string | null | undefined): Date | null {
  const date = text ? new Date(text) : undefined
  const year = date?.getUTCFullYear() ?? Number.NaN
  return date && year >= 1 && year <= 9999 ? date : null
}

async function readLine(lines: IndexedLines | null, id: string) {
  const line = await lines?.read(id)
  return line && parseContent(line)
}

/**
 * Returns the texts of a content. undefined: the archive has none, or the content was saved between the two passes of
 * the export.
 */
async function textsOf(lines: IndexedLines | null, { id, sys }: ReceivedContent) {
  const found = await readLine(lines, id)
  return found?.sys.updatedAt === sys.updatedAt ? found.values : undefined
}
