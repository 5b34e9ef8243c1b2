import { linesIn } from '../files.ts'
import { InvalidJson, JsonTooLarge } from '../json.ts'
import { BrokenSource } from './broken-source.ts'
import type { Collector } from './collected.ts'
import { readExact } from './exact-values.ts'
import { jsonParts } from './json-parts.ts'
import type { SourceFile, SourceFiles } from './source-files.ts'
import { isRecord } from './values.ts'

/** The structure of a JSON file, with its first values only. */
export type JsonShape =
  | { type: 'list'; first: unknown }
  | { type: 'lines'; first: unknown }
  /** Each key with its value, or with the first item of its list. */
  | { type: 'object'; keys: ReadonlyMap<string, { isList: boolean; first: unknown }> }

/** Returns the structure of a file. undefined: it is not JSON, or it exceeds a limit (added to `files.unread`). */
export async function shapeOf(files: SourceFiles, file: SourceFile): Promise<JsonShape | undefined> {
  const beginning = await files.beginning(file)
  if (beginning === undefined || !/^[[{]/.test(beginning)) return undefined
  try {
    if (beginning.startsWith('{') && isLines(beginning)) return { type: 'lines', first: firstLine(beginning) }
    return await readShape(files, file, beginning.startsWith('['))
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error
    if (error instanceof JsonTooLarge) files.unread.push({ file: file.path, why: error.why })
    // A file with one object per line is invalid as one JSON text. Its first line may be longer than the beginning.
    else if (beginning.startsWith('{') && !beginning.includes('\n')) return findLongLines(files, file)
    return undefined
  }
}

/** Maximum number of keys of a file that is one object. */
const mostKeys = 10_000

/**
 * Parses the first value. Returns `{}` if the value is too large: the file can still be recognised, and a later read
 * reports the value.
 */
function firstOf(text: Buffer): unknown {
  try {
    return readExact(text)
  } catch (error) {
    if (error instanceof JsonTooLarge) return {}
    throw error
  }
}

async function readShape(files: SourceFiles, file: SourceFile, isList: boolean): Promise<JsonShape> {
  const keys = new Map<string, { isList: boolean; first: unknown }>()
  for await (const { key, isItem, text } of jsonParts(files.utf8(file))) {
    if (key === null) return { type: 'list', first: firstOf(text) }
    if (keys.has(key)) continue
    if (keys.size >= mostKeys) throw new JsonTooLarge('keys')
    keys.set(key, { isList: isItem, first: firstOf(text) })
  }
  return isList ? { type: 'list', first: undefined } : { type: 'object', keys }
}

function isLines(beginning: string): boolean {
  const [line = '', ...rest] = beginning.split('\n')
  const next = rest.find((other) => other.trim() !== '')
  return next?.trimStart().startsWith('{') === true && isRecord(firstLine(line))
}

/** Returns the structure of a file with one object per line. The first line may have any length. */
async function findLongLines(files: SourceFiles, file: SourceFile): Promise<JsonShape | undefined> {
  let first: unknown
  try {
    for await (const { text } of linesIn(files.utf8(file))) {
      const start = text.toString('latin1', 0, 1_000).trimStart()
      if (start === '') continue
      if (first !== undefined) return start.startsWith('{') ? { type: 'lines', first } : undefined
      first = firstOf(text)
      if (!isRecord(first)) return undefined
    }
  } catch (error) {
    if (!(error instanceof InvalidJson) && !isTooLong(error)) throw error
  }
  return undefined
}

function firstLine(beginning: string): unknown {
  try {
    return JSON.parse(beginning.split('\n')[0] ?? '')
  } catch {
    return undefined
  }
}

export interface JsonFile {
  file: SourceFile
  shape: JsonShape
}

/** Returns all JSON files of an upload, from a cache. */
export function jsonFiles(files: SourceFiles): Promise<JsonFile[]> {
  const found = known.get(files) ?? findJson(files)
  known.set(files, found)
  return found
}

/** The results of `jsonFiles`, cached because most sources call it. */
const known = new WeakMap<SourceFiles, Promise<JsonFile[]>>()

async function findJson(files: SourceFiles): Promise<JsonFile[]> {
  const found: JsonFile[] = []
  for (const file of files.files) {
    const shape = await shapeOf(files, file)
    if (shape) found.push({ file, shape })
  }
  return found
}

/**
 * Yields the objects of a file: the items of its list, its lines, or the list under `key`. Reports other values and a
 * truncated end as lost. Throws `BrokenSource` if nothing can be read.
 */
export async function* objectsIn(
  files: SourceFiles,
  { file, shape }: JsonFile,
  into: Pick<Collector, 'lost'>,
  key: string | null = null,
): AsyncGenerator<Record<string, unknown>> {
  let number = 0
  const read = (text: Buffer): Record<string, unknown> | undefined => {
    number += 1
    let why = 'json'
    try {
      const value = readExact(text)
      if (isRecord(value)) return value
    } catch (error) {
      if (!(error instanceof InvalidJson)) throw error
      why = error instanceof JsonTooLarge ? error.why : why
    }
    into.lost(file.path, `${file.path}:${number}`, why)
    return undefined
  }
  try {
    if (shape.type === 'lines') {
      for await (const { text } of linesIn(files.utf8(file))) {
        const value = text.toString('utf8').trim() === '' ? undefined : read(text)
        if (value) yield value
      }
      return
    }
    for await (const part of jsonParts(files.utf8(file))) {
      if (part.key !== key || !part.isItem) continue
      const value = read(part.text)
      if (value) yield value
    }
  } catch (error) {
    if (!(error instanceof InvalidJson) && !isTooLong(error)) throw error
    if (number === 0) throw new BrokenSource('broken', [{ file: file.path, why: 'json' }])
    into.lost(file.path, `${file.path}:${number + 1}`, error instanceof JsonTooLarge ? error.why : 'json')
  }
}

const isTooLong = (error: unknown) => error instanceof Error && error.message === 'a line is too long'

/** Limits for JSON files that are read as a whole, such as schemas. */
const wholeBounds = { bytes: 64_000_000, parts: 2_000_000, values: 5_000_000, keys: 100_000 }

/**
 * Reads a file of at most 64 million characters as a whole. Throws `InvalidJson`, and `BrokenSource` for a larger file.
 */
export async function wholeJson(files: SourceFiles, file: SourceFile): Promise<unknown> {
  return readExact(Buffer.from(await files.whole(file, 64_000_000)), wholeBounds)
}

/**
 * Returns the total number of contents in a paged response: microCMS (`totalCount`), Contentful and Newt (`total`),
 * Strapi (`meta.pagination.total`), Directus (`meta.filter_count`), and similar formats. Returns undefined if the
 * response has no total.
 */
export function totalOf(shape: JsonShape): number | undefined {
  if (shape.type !== 'object') return undefined
  const under = (key: string) => shape.keys.get(key)?.first
  const meta = recordOf(under('meta'))
  const pagination = recordOf(meta.pagination ?? under('pagination'))
  const totals = [
    under('totalCount'),
    under('total_count'),
    under('total'),
    // Django and similar frameworks use `count` together with `next`, the URL of the next page.
    shape.keys.has('next') ? under('count') : undefined,
    meta.filter_count,
    meta.total_count,
    meta.total,
    pagination.total,
    pagination.totalCount,
  ]
  return totals.find((total): total is number => Number.isSafeInteger(total))
}

const recordOf = (value: unknown) => (isRecord(value) ? value : {})

/** Returns the common part of the file names of pages: `blog.json`, `blog-2.json`, `blog_offset100.json`. */
export const stemOfPages = (stem: string): string =>
  stem.replace(/[-_. ]?(?:\d{6,}|\(?\d{1,3}\)?|offset[-_=]?\d+|page[-_]?\d+|schema)$/i, '') || stem
