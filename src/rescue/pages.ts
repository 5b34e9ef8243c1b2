import { type Content, readContent, type View } from './content.ts'
import { RescueFailure } from './failure.ts'
import { checkDepth, parseJson, sliceListAnswer, withoutLineBreaks } from './json-slices.ts'
import { type Answer, ApiRefusal, type NewtApi, type Query } from './newt-api.ts'
import { isRecord } from './shapes.ts'

/**
 * Where reading stands. Pages are windows over `_sys.createdAt`, which never changes once set, so neither
 * edits, deletions nor new contents move what is still to be read. `skip` is used only while more contents
 * than fit in a page share one creation time (then `skipped` stays true and a full check of ids follows).
 */
export interface Cursor {
  from: string
  skip: number
  limit: number
  skipped: boolean
}

export interface Page {
  contents: Content[]
  /** Items in the answer. */
  size: number
  /** Ids of contents too large for an answer at depth 1; `contents` may hold them at depth 0. */
  tooLarge: string[]
  /** Contents the query matches from this window on. */
  total: number
  serverTime: number
  /** Where the next page starts; undefined after the last. */
  next: Cursor | undefined
}

export const firstCursor: Cursor = { from: '', skip: 0, limit: 1_000, skipped: false }

/** Newt refuses answers of 7 MB; we stay well below. */
const comfortableBytes = 4_500_000
const largestLimit = 1_000

/**
 * Reads a model page by page, oldest first, asking for the next page while the caller stores this one.
 * `extra` narrows the query (`_sys.updatedAt[gte]`) or selects fields. `bySkip` counts pages off plainly instead
 * of windowing: a second, independent way to see everything.
 */
export async function* readPages(
  api: NewtApi,
  view: View,
  model: string,
  start: Cursor,
  extra: Query = {},
  bySkip = false,
): AsyncGenerator<Page> {
  const read = async (cursor: Cursor): Promise<Page> => {
    const page = await readPage(api, view, model, cursor, extra)
    if (bySkip && page.next) page.next = { ...page.next, from: '', skip: cursor.skip + page.size }
    return page
  }
  let ahead: Promise<Page> | undefined = read(start)
  try {
    while (ahead) {
      const page: Page = await ahead
      ahead = page.next ? read(page.next) : undefined
      // A failure waits for its await; if the caller stops before, nobody is left to hear it.
      ahead?.catch(() => {})
      yield page
    }
  } finally {
    ahead?.catch(() => {})
  }
}

/** Only the number of contents, as the server counts them now. */
export async function countContents(api: NewtApi, view: View, model: string): Promise<number> {
  const { body } = await api.list(view, model, { limit: 1, depth: 0 })
  return sliceListAnswer(body).total
}

async function readPage(
  api: NewtApi,
  view: View,
  model: string,
  cursor: Cursor,
  extra: Query,
): Promise<Page> {
  let { limit } = cursor
  for (;;) {
    const query: Query = { depth: 1, ...extra, limit }
    if (cursor.from) query['_sys.createdAt[gte]'] = cursor.from
    if (cursor.skip) query.skip = cursor.skip
    try {
      return finishPage(await listInOrder(api, view, model, query), { ...cursor, limit })
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error
      if (error.code !== 'ResponseSizeTooLarge') throw refused(error)
      if (limit === 1) return readHugeContent(api, view, model, query, { ...cursor, limit })
      limit = Math.max(1, Math.floor(limit / 2))
    }
  }
}

/** Ordering by `_id` as well makes ties firm; a server that does not know it is asked without. */
async function listInOrder(api: NewtApi, view: View, model: string, query: Query): Promise<Answer> {
  const order = '_sys.createdAt'
  if (!api.ordersById) return api.list(view, model, { ...query, order })
  try {
    return await api.list(view, model, { ...query, order: `${order},_id` })
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.code === 'ResponseSizeTooLarge') throw error
    const answer = await api.list(view, model, { ...query, order })
    api.ordersById = false
    return answer
  }
}

function finishPage(answer: Answer, cursor: Cursor): Page {
  const { items, total } = sliceListAnswer(answer.body)
  const contents = items.map(readContent).filter((content) => content !== undefined)
  const last = contents.at(-1)
  const seenInWindow = cursor.skip + items.length
  const atEnd = items.length === 0 || seenInWindow >= total
  const next: Cursor = { ...cursor, limit: nextLimit(cursor.limit, items.length, answer.body.length) }
  if (last && last.createdAt > cursor.from) {
    next.from = last.createdAt
    next.skip = 0
  } else {
    next.skip = seenInWindow
    next.skipped = true
  }
  return {
    contents,
    size: items.length,
    tooLarge: [],
    total,
    serverTime: answer.serverTime,
    next: atEnd ? undefined : next,
  }
}

function nextLimit(limit: number, items: number, bytes: number): number {
  if (items === 0) return limit
  const fits = Math.floor(comfortableBytes / (bytes / items))
  return Math.max(1, Math.min(largestLimit, fits, limit * 2))
}

/** One content of 7 MB or more: without its expanded references it may pass; else only its id is known. */
async function readHugeContent(
  api: NewtApi,
  view: View,
  model: string,
  query: Query,
  cursor: Cursor,
): Promise<Page> {
  const known = await listInOrder(api, view, model, { ...query, select: '_id,_sys' }).catch((error) => {
    throw error instanceof ApiRefusal ? refused(error) : error
  })
  const [content] = sliceListAnswer(known.body).items.map(readContent)
  if (!content) throw new RescueFailure('strange_answer', { reason: 'a content without an id' })
  try {
    const body = await api.one(view, model, content.id, { depth: 0 })
    const whole = body && isRecord(parseJson(body)) ? readContent(withoutLineBreaks(body)) : undefined
    return { ...finishPage(known, cursor), contents: whole ? [whole] : [], tooLarge: [content.id] }
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    return { ...finishPage(known, cursor), contents: [], tooLarge: [content.id] }
  }
}

/** One content by its id, at depth 1; undefined when it is gone. */
export async function readOne(
  api: NewtApi,
  view: View,
  model: string,
  id: string,
): Promise<Content | undefined> {
  const body = await api.one(view, model, id, { depth: 1 })
  if (!body) return undefined
  checkDepth(body)
  return readContent(withoutLineBreaks(body))
}

function refused(error: ApiRefusal): RescueFailure {
  return new RescueFailure('strange_answer', { reason: `${error.status} ${error.code}`.trim() })
}
