import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PortableDocument } from '#archive/app-format.ts'
import { HashedFile } from '#archive/files.ts'
import { safeFileName } from '#archive/names.ts'
import { serverTypeOf } from '#server/content/fields/index.ts'
import { cellText } from '#server/features/documents/documents.service.ts'
import type { PortableSource } from '#server/features/portable-apps/portable-apps.service.ts'
import { csvLines, csvMark, harmless } from '#server/lib/csv.ts'
import type { ExportOptions } from '#shared/contract/app-exports.ts'
import type { Field } from '#shared/fields/index.ts'

type Model = PortableSource['app']['models'][number]
export type PlainFormat = Exclude<ExportOptions['format'], 'archive'>

type Write = (path: string, pieces: AsyncIterable<string>) => Promise<void>

/** Returns the document's status, named as in the management API. */
function statusOf({ published, firstPublishedAt }: PortableDocument): string {
  if (published === null) return firstPublishedAt === null ? 'draft' : 'unpublished'
  return published === 'same' ? 'published' : 'changed'
}

const system = ['status', 'createdAt', 'updatedAt', 'firstPublishedAt', 'publishedAt'] as const
const systemOf = (document: PortableDocument) => ({ ...document, status: statusOf(document) })

/** Writes the current documents of an app in a format that other programs read. Returns the written files. */
export async function writePlain(
  folder: string,
  source: PortableSource,
  format: PlainFormat,
  onProgress: (documents: number) => Promise<void>,
): Promise<{ path: string; bytes: number }[]> {
  const files: { path: string; bytes: number }[] = []
  const write: Write = async (path, pieces) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    const file = await HashedFile.create(join(folder, path))
    for await (const piece of pieces) await file.write(piece)
    files.push({ path, bytes: (await file.close()).bytes })
  }
  let done = 0
  for (const model of source.app.models) {
    const documents = async function* () {
      for await (const document of source.documents(model.uid, null)) {
        yield document
        await onProgress(++done)
      }
    }
    await formats[format](model, documents(), write)
  }
  return files
}

const formats: Record<
  PlainFormat,
  (model: Model, documents: AsyncIterable<PortableDocument>, write: Write) => Promise<void>
> = {
  ndjson: (model, documents, write) =>
    write(
      `${safeFileName(model.uid)}.ndjson`,
      mapped(documents, (document) => {
        const said = systemOf(document)
        const sys = Object.fromEntries(system.map((key) => [key, said[key]]))
        return `${JSON.stringify({ _id: document._id, _sys: sys, ...document.current })}\n`
      }),
    ),
  csv: (model, documents, write) => {
    const names = ['_id', ...system, ...model.fields.map((field) => harmless(field.name))]
    const lines = mapped(documents, (document) => {
      const said = systemOf(document)
      const values = model.fields.map(({ uid }) => cellText(document.current[uid]))
      return csvLines([[document._id, ...system.map((key) => said[key] ?? ''), ...values]])
    })
    return write(`${safeFileName(model.uid)}.csv`, behind(csvMark + csvLines([names]), lines))
  },
  async markdown(model, documents, write) {
    for await (const document of documents) {
      const path = `${safeFileName(model.uid)}/${document._id}.md`
      await write(
        path,
        mapped([document], (one) => markdownOf(model, one)),
      )
    }
  },
}

/**
 * Returns a document as Markdown. The first rich text or Markdown field with a value becomes the body. All other values
 * are front matter as JSON, which is valid YAML.
 */
function markdownOf({ fields }: Model, document: PortableDocument): string {
  const body = fields.find(
    ({ uid, type }) =>
      typeof document.current[uid] === 'string' &&
      serverTypeOf({ type: type as Field['type'] }).formats?.includes('text'),
  )
  const said = systemOf(document)
  const front = [
    `_id: ${JSON.stringify(document._id)}`,
    ...system.flatMap((key) => (said[key] === null ? [] : [`_${key}: ${JSON.stringify(said[key])}`])),
    ...Object.entries(document.current).flatMap(([uid, value]) =>
      uid === body?.uid ? [] : [`${uid}: ${JSON.stringify(value)}`],
    ),
  ]
  const text = body ? String(document.current[body.uid]).trimEnd() : ''
  return `---\n${front.join('\n')}\n---\n${text === '' ? '' : `\n${text}\n`}`
}

async function* mapped<T>(
  items: AsyncIterable<T> | Iterable<T>,
  change: (item: T) => string,
): AsyncGenerator<string> {
  for await (const item of items) yield change(item)
}

async function* behind(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}
