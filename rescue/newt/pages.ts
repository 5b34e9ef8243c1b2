import type { Content, View } from '#archive/content.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { checkAnswerShape, readAnsweredContent } from './answers.ts'
import type { ServerCapabilities } from './capabilities.ts'
import { type Cursor, firstCursor } from './cursor.ts'
import { type ListAnswer, withoutLineBreaks } from './json-slices.ts'
import { isPlain, list, listDeepEnough, smallPage } from './list.ts'
import {
  type Answer,
  ApiRefusal,
  type NewtApi,
  persistentRetries,
  quickRetries,
  refused,
} from './newt-api.ts'
import type { Query } from './query.ts'
import { isHeavy, isNonsense, orRefused } from './refusals.ts'

export interface Page {
  contents: Content[]
  /** Number of items in the response. */
  size: number
  /** Ids of contents that no list returns at the model's depth. `contents` may contain them at depth 0. */
  tooLarge: string[]
  /**
   * Number of contents that match the query from this window onwards, according to the server. Without a total, the
   * number of contents seen.
   */
  total: number
  serverTime: number
  /** Position of the next page; undefined after the last. */
  next: Cursor | undefined
}

/** Target size of a page in bytes. Newt refuses responses of 7 MB. */
const comfortableBytes = 4_500_000
const largestLimit = 1_000
const oneDayMs = 86_400_000
/** Number of following contents that are requested to find out whether only one content makes the server fail. */
const neighbours = 3
/** Maximum number of consecutive positions that return not even an id. With more, the reading fails. */
const mostNothing = 100

/**
 * Reads a model page by page, oldest first. Requests the next page while the caller stores the current one. `extra`
 * narrows the query (`_sys.updatedAt[gte]`) or selects fields. With `bySkip`, pages are counted by `skip` instead of
 * windows, as a second, independent way to see all contents.
 */
export async function* readPages(
  api: NewtApi,
  view: View,
  model: string,
  start: Cursor,
  extra: Query = {},
  bySkip = false,
): AsyncGenerator<Page> {
  let before = ''
  let nothing = 0
  const read = async (cursor: Cursor): Promise<Page> => {
    const page = await readPage(api, view, model, cursor, extra)
    if (bySkip && page.next) page.next = { ...page.next, from: '', skip: cursor.skip + page.size }
    const face = `${page.size} ${page.contents.map(({ id }) => id).join()}`
    // The same page despite a higher `skip` means that the server ignores `skip`. Reading stops instead of looping
    // forever.
    if (cursor.skip > 0 && page.next && page.contents.length > 0 && face === before)
      throw new RescueFailure('strange_answer', { reason: 'the same page again' })
    before = face
    nothing = page.size > 0 && page.contents.length + page.tooLarge.length === 0 ? nothing + 1 : 0
    if (nothing > mostNothing) throw new RescueFailure('strange_answer', { reason: 'no contents come' })
    return page
  }
  let ahead: Promise<Page> | undefined = read(start)
  try {
    while (ahead) {
      const page: Page = await ahead
      ahead = page.next ? read(page.next) : undefined
      // Prevents an unhandled rejection if the caller stops before it awaits this page.
      ahead?.catch(() => {})
      yield page
    }
  } finally {
    ahead?.catch(() => {})
  }
}

/** Returns the number of contents according to the server; undefined if the server does not report it. */
export async function countContents(api: NewtApi, view: View, model: string): Promise<number | undefined> {
  for (const query of [{ limit: 1, depth: 0 }, { limit: 1 }, {}]) {
    try {
      return (await api.list(view, model, query, quickRetries)).value.total
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error
      if (Object.keys(query).length === 0 && error.code !== 'ResponseSizeTooLarge') throw refused(error)
    }
  }
  return undefined
}

async function readPage(
  api: NewtApi,
  view: View,
  model: string,
  cursor: Cursor,
  extra: Query,
): Promise<Page> {
  const capabilities = api.capabilities[view]
  const usual = capabilities.most
  let limit = Math.min(cursor.limit, usual)
  for (;;) {
    const place = { ...cursor, limit }
    try {
      const answer = await listDeepEnough(api, view, model, place, extra)
      // The server does not support windows, so reading starts again with `skip`.
      if (cursor.from && !capabilities.now.window) return fromTheBeginning(answer, place)
      capabilities.succeeded()
      const page = finishPage(capabilities, answer, place)
      // A larger page has just failed, so the next page is not larger than this one.
      if (page.next && limit < cursor.limit) page.next.limit = Math.min(page.next.limit, limit)
      return page
    } catch (error) {
      const isTooLarge = error instanceof ApiRefusal && error.code === 'ResponseSizeTooLarge'
      const isOdd = isPlain(extra) && isAboutThis(error, capabilities.isProven(cursor.from))
      if (!isTooLarge && !isHeavy(error) && !isOdd) throw error instanceof ApiRefusal ? refused(error) : error
      if (limit === 1) {
        const page = await readAlone(api, view, model, place, extra, error)
        // A single content caused the failure, not the page size, so the previous page size is restored.
        if (!isTooLarge) capabilities.recover(usual)
        if (!isTooLarge && page.next) page.next.limit = Math.min(smallPage, usual)
        return page
      }
      if (isTooLarge) limit = Math.max(1, Math.floor(limit / 2))
      else {
        capabilities.failedWith(limit)
        // Malformed responses do not depend on the size, so the page is reduced quickly to single contents.
        if (isNonsense(error)) limit = limit > smallPage ? smallPage : 1
        else limit = Math.max(1, Math.floor(limit / 4))
      }
    }
  }
}

/** Returns whether one of the requested contents may be the cause of a refusal. */
function isAboutThis(error: unknown, isProven: boolean): boolean {
  if (error instanceof ApiRefusal) return error.status === 400
  return (
    isProven && error instanceof RescueFailure && error.code === 'not_allowed' && error.details.code === ''
  )
}

function fromTheBeginning(answer: Answer<ListAnswer>, { limit }: Cursor): Page {
  const { serverTime, value } = answer
  const next = { ...firstCursor, limit, skipped: true }
  return { contents: [], size: 0, tooLarge: [], total: value.total ?? 0, serverTime, next }
}

function finishPage(capabilities: ServerCapabilities, answer: Answer<ListAnswer>, cursor: Cursor): Page {
  const { items, total, limit: answered } = answer.value
  const contents = items.map(readAnsweredContent).filter((content) => content !== undefined)
  const last = contents.at(-1)
  const seen = cursor.skip + items.length
  // The server's totals and limits may be wrong. A page is only the last if it is empty, or if it is not full and the
  // reported total confirms this. If the response has no total, a page that is not full is the last one only if the
  // response contains its `limit`.
  const room = items.length < (answered || cursor.limit)
  const atEnd = items.length === 0 || (room && (total === undefined ? answered !== undefined : seen >= total))
  const next: Cursor = { ...cursor, limit: nextLimit(cursor.limit, items.length, answer.size) }
  if (cursor.from !== '' || !atEnd) keepWatch(capabilities, contents, cursor)
  if (!capabilities.now.window) {
    next.from = ''
    next.skip = cursor.from ? 0 : seen
    next.skipped = true
  } else if (last && last.createdAt > cursor.from) {
    next.from = last.createdAt
    next.skip = 0
  } else {
    next.skip = seen
    next.skipped = true
  }
  const endsHere = atEnd && !(cursor.from && !capabilities.now.window)
  return {
    contents,
    size: items.length,
    tooLarge: [],
    total: total ?? seen,
    serverTime: answer.serverTime,
    next: endsHere ? undefined : next,
  }
}

/**
 * Disables windows if the contents are not in order. Windows require that the server orders and filters by the creation
 * time that it returns.
 */
function keepWatch(capabilities: ServerCapabilities, contents: readonly Content[], cursor: Cursor): void {
  let before = cursor.from
  for (const { createdAt } of contents) {
    if (createdAt < before) {
      capabilities.learn({ ...capabilities.now, window: false })
      return
    }
    before = createdAt
  }
}

function nextLimit(limit: number, items: number, bytes: number): number {
  if (items === 0) return limit
  const fits = Math.floor(comfortableBytes / (bytes / items))
  return Math.max(1, Math.min(largestLimit, fits, limit * 2))
}

/**
 * Reads a single content that no list returns because it is too large or makes the server fail. Returns its id, and the
 * content at depth 0 if possible. The complete content is read by id later (see pieces.ts).
 */
async function readAlone(
  api: NewtApi,
  view: View,
  model: string,
  place: Cursor,
  extra: Query,
  cause: unknown,
): Promise<Page> {
  const idsOnly = { select: '_id,_sys', depth: 0 }
  const next = { ...place, skip: place.skip + 1, skipped: true }
  for (const less of [{ depth: 0 }, idsOnly]) {
    const known = await orRefused(list(api, view, model, place, { ...extra, ...less }, 0))
    if (!known) continue
    const [content] = known.value.items.map(readAnsweredContent)
    const page = finishPage(api.capabilities[view], known, place)
    if (!content) return page
    const contents = 'select' in less ? [] : [content]
    return { ...page, contents, tooLarge: [content.id], next: page.next && next }
  }
  // If the neighbours of the content fail too, the server is down, so the request is retried patiently.
  let isUp = cause instanceof ApiRefusal && cause.code === 'ResponseSizeTooLarge'
  const most = isNonsense(cause) ? 1 : neighbours
  for (let ahead = 1; ahead <= most && !isUp; ahead++) {
    const neighbour = { ...place, skip: place.skip + ahead }
    isUp = !!(await orRefused(list(api, view, model, neighbour, { ...extra, ...idsOnly }, 0)))
  }
  if (!isUp)
    return finishPage(
      api.capabilities[view],
      await list(api, view, model, place, extra, 1, persistentRetries),
      place,
    )
  // Not even the id is available. The number of contents will show that one is missing.
  const nothing = { contents: [], size: 1, tooLarge: [], total: place.skip + 2 }
  return { ...nothing, serverTime: Date.now() - oneDayMs, next }
}

/** Reads one content by id, at the depth of its model plus `deeper` levels. Returns undefined if it does not exist. */
export async function readOne(
  api: NewtApi,
  view: View,
  model: string,
  id: string,
  deeper = 0,
): Promise<Content | undefined> {
  const { now } = api.capabilities[view]
  const query = now.depth ? { depth: api.capabilities[view].depthOf(model) + deeper } : {}
  const body = await api.one(view, model, id, query)
  if (!body) return undefined
  checkAnswerShape(body)
  return readAnsweredContent(withoutLineBreaks(body))
}
