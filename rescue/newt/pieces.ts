import type { Content, View } from '#archive/content.ts'
import { isRecord } from '#archive/shapes.ts'
import { parseAnswer, readAnsweredContent } from './answers.ts'
import { sliceMembers, withoutLineBreaks } from './json-slices.ts'
import type { NewtApi } from './newt-api.ts'
import { readOne } from './pages.ts'
import type { Query } from './query.ts'
import { orRefused } from './refusals.ts'

/** A content assembled from several responses. */
export interface Pieces {
  content: Content
  /** Names of the fields that no request returned. */
  lacks: string[]
}

/** Maximum number of attempts if the content is edited between two requests. */
const mostVersions = 3

/**
 * Reads a content that no list returns: by id, otherwise field by field. The bytes of each value are preserved, except
 * line breaks between tokens. Fields are requested with `select=…` at the model's depth, then at depth 0. `fields` are
 * the known fields of the model, for a content that is too large even at depth 0. Returns undefined if no field can be
 * fetched, or if the content changes during each of `mostVersions` attempts.
 */
export async function readInPieces(
  api: NewtApi,
  view: View,
  model: string,
  id: string,
  fields: Iterable<string>,
): Promise<Pieces | undefined> {
  const whole = await orRefused(readOne(api, view, model, id))
  if (whole) return { content: whole, lacks: [] }
  const names = [...fields]
  for (let version = 0; version < mostVersions; version++) {
    const pieces = await readFields(api, view, model, id, names)
    if (pieces !== 'changed') return pieces
  }
  return undefined
}

async function readFields(
  api: NewtApi,
  view: View,
  model: string,
  id: string,
  fields: readonly string[],
): Promise<Pieces | undefined | 'changed'> {
  const read = async (query: Query) => {
    const body = await orRefused(api.one(view, model, id, query))
    return body && sliceMembers(withoutLineBreaks(body))
  }
  const shallow = await read({ depth: 0 })
  const first = shallow ?? (await read({ select: '_id,_sys', depth: 0 }))
  if (!first) return undefined
  const depth = api.capabilities[view].depthOf(model)
  const members = new Map<string, Buffer>()
  const lacks: string[] = []
  for (const name of new Set(['_id', '_sys', ...(shallow?.keys() ?? fields)])) {
    if (name === '_id' || name === '_sys') {
      const value = first.get(name)
      if (value) members.set(name, value)
      continue
    }
    const select = `_id,_sys,${name}`
    const piece = (await read({ select, depth })) ?? (shallow ? undefined : await read({ select, depth: 0 }))
    if (piece && versionOf(piece) !== versionOf(first)) return 'changed'
    // A field that is absent from the response is not missing, because contents need not have every field of their
    // model.
    const value = piece?.get(name) ?? shallow?.get(name)
    if (value) members.set(name, value)
    else if (!piece) lacks.push(name)
  }
  // An id without any field is not worth keeping.
  if (lacks.length > 0 && members.size <= 2) return undefined
  const pairs = [...members].flatMap(([name, value], index) => [
    Buffer.from(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`),
    value,
  ])
  const content = readAnsweredContent(Buffer.concat([Buffer.from('{'), ...pairs, Buffer.from('}')]))
  return content && { content, lacks }
}

function versionOf(members: ReadonlyMap<string, Buffer>): unknown {
  const sys = parseAnswer(members.get('_sys') ?? Buffer.from('{}'))
  return isRecord(sys) ? sys.updatedAt : undefined
}
