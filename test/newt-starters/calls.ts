import { isContent, isRecord } from '#archive/shapes.ts'
import type { Expected, Query } from '#moving/expected.ts'
import type { Call } from '#moving/queries.ts'
import { readField, type StarterField } from './fill.ts'
import type { Starter } from './starters.ts'

/**
 * Yields the requests that the pages of a starter's site send: pages of lists, the newest contents and one content by
 * its slug. Further requests read the contents of a tag, a category or an author, search results, the previous and next
 * content, and all slugs. The values come from the first, the middle and the last content.
 */
export function* starterCalls({ models }: Starter, expected: Expected): Generator<Call> {
  const view = 'cdn'
  for (const [model, { fields }] of Object.entries(models)) {
    const read = fields.map(readField)
    const ids = expected.ids(view, model)
    const list = (query: Query): Call => ({ view, model, method: 'getContents', query })
    const first = (query: Query): Call => ({ view, model, method: 'getFirstContent', query })
    yield list({ depth: 2, limit: 10, order: ['-_sys.createdAt'] })
    yield list({ limit: 2, skip: 2, depth: 1, order: ['_sys.customOrder', '-_sys.createdAt'] })
    yield list({ select: ['_id'], limit: 1000 })
    yield list({ limit: 3, order: ['-_sys.raw.publishedAt'] })
    for (const id of new Set([ids[0], ids[ids.length >> 1], ids.at(-1)])) {
      const content = id === undefined ? undefined : expected.raw(view, model, id)
      if (id === undefined || !content) continue
      const select = read.slice(0, 2).map(({ uid }) => uid)
      yield { view, model, method: 'getContent', contentId: id, query: { depth: 2, select } }
      for (const field of read) yield* fieldCalls(field, content[field.uid], { list, first })
      const createdAt = isRecord(content._sys) ? content._sys.createdAt : undefined
      if (typeof createdAt !== 'string') continue
      yield first({ '_sys.createdAt': { gt: createdAt }, order: ['_sys.createdAt'] })
      yield first({ '_sys.createdAt': { lt: createdAt }, order: ['-_sys.createdAt'] })
    }
    const [text, other] = read.filter(({ kind, multiple }) => kind === 'text' && !multiple)
    if (text) {
      const word = { match: '季節' }
      yield list({ or: [{ [text.uid]: word }, { [(other ?? text).uid]: word }], limit: 20 })
    }
  }
}

/** Yields the requests about one field, with the value of one content. */
function* fieldCalls(
  { uid, kind, multiple }: StarterField,
  value: unknown,
  { list, first }: Record<'list' | 'first', (query: Query) => Call>,
): Generator<Call> {
  const values = [value].flat().filter((item) => item !== null && item !== undefined && item !== '')
  const [one] = values
  if (one === undefined) {
    // For a reference to an unpublished content, the archive does not say whether the field has a value.
    if (kind !== 'ref') yield list({ [uid]: { exists: false }, limit: 20 })
  } else if (kind === 'slug') {
    yield first({ [uid]: one, depth: 2 })
    yield list({ [uid]: { ne: one }, select: [uid], limit: 1000 })
  } else if (kind === 'ref' && isContent(one)) {
    yield list({ [uid]: one._id, depth: 1 })
    yield list({ [uid]: { in: values.flatMap((item) => (isContent(item) ? item._id : [])) }, limit: 5 })
    const { slug } = one as Record<string, unknown>
    if (typeof slug === 'string' && !multiple) yield list({ [`${uid}.slug`]: slug })
  } else if (kind === 'select' || (kind === 'checkbox' && !multiple)) yield list({ [uid]: one, limit: 20 })
  else if (kind === 'date' || kind === 'datetime') yield list({ [uid]: { gte: one as string }, limit: 20 })
}
