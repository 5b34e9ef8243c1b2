import { type Content, countBareIds, readContent, type View } from '#archive/content.ts'
import { isRecord } from '#archive/shapes.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { deepest, type Manner, type Manners } from './capabilities.ts'
import type { Patience } from './host-throttle.ts'
import { checkDepth, type ListAnswer, parseJson, withoutLineBreaks } from './json-slices.ts'
import { type Answer, ApiRefusal, impatient, type NewtApi, type Query, refused, steady } from './newt-api.ts'

/**
 * Where reading stands. Pages are windows over `_sys.createdAt`, which never changes once set, so neither
 * edits, deletions nor new contents move what is still to be read. `skip` is used only while more contents
 * than fit in a page share one creation time, or when the server turns out not to know windows (then `skipped`
 * stays true and a full check of ids follows).
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
  /** Ids of contents that come in no list at depth 1; `contents` may hold them at depth 0. */
  tooLarge: string[]
  /** Contents the query matches from this window on, as far as the server says. */
  total: number
  serverTime: number
  /** Where the next page starts; undefined after the last. */
  next: Cursor | undefined
}

export const firstCursor: Cursor = { from: '', skip: 0, limit: 1_000, skipped: false }

/** Newt refuses answers of 7 MB; we stay well below. */
const comfortableBytes = 4_500_000
const largestLimit = 1_000
const oneDayMs = 86_400_000
/** So many contents in a row may be such that the server breaks at them. */
const neighbours = 3
/** So many places in a row from which nothing comes, not even an id, and the server is at fault. */
const mostNothing = 100
/** A page up to this size that breaks does so for what is in it. */
const smallPage = 50

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
  let before = ''
  let nothing = 0
  const read = async (cursor: Cursor): Promise<Page> => {
    const page = await readPage(api, view, model, cursor, extra)
    if (bySkip && page.next) page.next = { ...page.next, from: '', skip: cursor.skip + page.size }
    const face = `${page.size} ${page.contents.map(({ id }) => id).join()}`
    // Counted on, yet the same again: the server does not know `skip`. Better stopped than for ever.
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
      // A failure waits for its await; if the caller stops before, nobody is left to hear it.
      ahead?.catch(() => {})
      yield page
    }
  } finally {
    ahead?.catch(() => {})
  }
}

/** Only the number of contents, as the server counts them now; undefined when it does not say. */
export async function countContents(api: NewtApi, view: View, model: string): Promise<number | undefined> {
  for (const query of [{ limit: 1, depth: 0 }, { limit: 1 }, {}]) {
    try {
      return (await api.list(view, model, query, impatient)).value.total
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
  const manners = api.manners[view]
  const usual = manners.most
  let limit = Math.min(cursor.limit, usual)
  for (;;) {
    const place = { ...cursor, limit }
    try {
      const answer = await listDeepEnough(api, view, model, place, extra)
      // Learnt just now that windows do not work here: count off from the beginning.
      if (cursor.from && !manners.now.window) return fromTheBeginning(answer, place)
      manners.succeeded()
      const page = finishPage(manners, answer, place)
      // Just found too large: not at once tried again.
      if (page.next && limit < cursor.limit) page.next.limit = Math.min(page.next.limit, limit)
      return page
    } catch (error) {
      const isTooLarge = error instanceof ApiRefusal && error.code === 'ResponseSizeTooLarge'
      const isOdd = isPlain(extra) && isAboutThis(error, manners.isProven(cursor.from))
      if (!isTooLarge && !isHeavy(error) && !isOdd) throw error instanceof ApiRefusal ? refused(error) : error
      if (limit === 1) {
        const page = await readAlone(api, view, model, place, extra, error)
        // It was one content and not the size: the next page is of the usual one again.
        if (!isTooLarge) manners.recover(usual)
        if (!isTooLarge && page.next) page.next.limit = Math.min(smallPage, usual)
        return page
      }
      if (isTooLarge) limit = Math.max(1, Math.floor(limit / 2))
      else {
        manners.failedWith(limit)
        // Nonsense is not a matter of size: soon it is looked for content by content.
        if (isNonsense(error)) limit = limit > smallPage ? smallPage : 1
        else limit = Math.max(1, Math.floor(limit / 4))
      }
    }
  }
}

/** True for failures that a smaller page may not have. */
export function isHeavy(error: unknown): boolean {
  if (!(error instanceof RescueFailure)) return false
  if (error.code === 'no_network') return error.details.trouble === 'broken'
  return error.code === 'server_trouble' || error.code === 'strange_answer'
}

function isNonsense(error: unknown): boolean {
  return error instanceof RescueFailure && error.code === 'strange_answer'
}

function isPlain(extra: Query): boolean {
  return Object.keys(extra).length === 0
}

/** True for a refusal that may lie in one of the contents asked for. */
function isAboutThis(error: unknown, isProven: boolean): boolean {
  if (error instanceof ApiRefusal) return error.status === 400
  return (
    isProven && error instanceof RescueFailure && error.code === 'not_allowed' && error.details.code === ''
  )
}

/** One level of expansion brings every address; should it not do so on this server, more levels are asked for. */
async function listDeepEnough(
  api: NewtApi,
  view: View,
  model: string,
  place: Cursor,
  extra: Query,
): Promise<Answer<ListAnswer>> {
  const { depths, now } = api.manners[view]
  const known = depths.get(model) ?? { depth: 1, settled: false }
  let answer = await list(api, view, model, place, extra, known.depth)
  if (known.settled || 'depth' in extra || !now.depth) return answer
  let bare = bareIds(answer)
  for (let { depth } = known; bare > 0; ) {
    if (depth >= deepest) {
      depths.set(model, { depth, settled: true })
      break
    }
    depth += 1
    const deeper = await list(api, view, model, place, extra, depth).catch((error: unknown) => {
      if (error instanceof ApiRefusal || error instanceof RescueFailure) return undefined
      throw error
    })
    const left = deeper ? bareIds(deeper) : bare
    if (!deeper || left >= bare || deeper.value.items.length < answer.value.items.length) {
      depths.set(model, { depth: depth - 1, settled: true })
      break
    }
    answer = deeper
    bare = left
    depths.set(model, { depth, settled: false })
  }
  return answer
}

function bareIds({ value }: Answer<ListAnswer>): number {
  let count = 0
  for (const item of value.items) {
    const fields = parseJson(item)
    if (isRecord(fields)) count += countBareIds(fields)
  }
  return count
}

/** Asks in the best way this server is known to understand, and learns when it refuses. */
async function list(
  api: NewtApi,
  view: View,
  model: string,
  place: Cursor,
  extra: Query,
  depth: number,
  patience: Patience = impatient,
): Promise<Answer<ListAnswer>> {
  const manners = api.manners[view]
  const isUsual = isPlain(extra)
  const ask = (manner: Manner) =>
    api.list(view, model, { ...manners.query(manner, place, depth), ...extra }, patience)
  for (;;) {
    const asked = manners.now
    try {
      const answer = await ask(asked)
      if (isUsual && manners.now === asked) manners.prove(place.from)
      return answer
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Another stream has learnt meanwhile how to ask this server.
      if (manners.now !== asked) continue
      // A small page that breaks does so for what is in it.
      const isOfThePage = error instanceof RescueFailure && place.limit <= smallPage
      if (!isUsual || isOfThePage || manners.isProven(place.from)) throw error
      const answer = await askOtherwise(manners, ask)
      if (answer) {
        manners.prove(place.from)
        return answer
      }
      if (manners.now === asked) throw error
    }
  }
}

/** Tries the other ways to ask and learns the first that is answered; undefined when another stream was quicker. */
async function askOtherwise(
  manners: Manners,
  ask: (manner: Manner) => Promise<Answer<ListAnswer>>,
): Promise<Answer<ListAnswer> | undefined> {
  const before = manners.now
  for (const manner of manners.others()) {
    if (manners.now !== before) return undefined
    try {
      const answer = await ask(manner)
      manners.learn(manner)
      return answer
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }
  return undefined
}

/** A refusal of how we asked, also in the guise of an internal error. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof ApiRefusal) return error.code !== 'ResponseSizeTooLarge'
  if (!(error instanceof RescueFailure)) return false
  if (error.code === 'strange_answer') return String(error.details.reason).startsWith('400')
  return error.code === 'server_trouble' && ['500', '501'].includes(String(error.details.status))
}

function fromTheBeginning(answer: Answer<ListAnswer>, { limit }: Cursor): Page {
  const { serverTime, value } = answer
  const next = { ...firstCursor, limit, skipped: true }
  return { contents: [], size: 0, tooLarge: [], total: value.total ?? 0, serverTime, next }
}

function finishPage(manners: Manners, answer: Answer<ListAnswer>, cursor: Cursor): Page {
  const { items, total, limit: answered } = answer.value
  const contents = items.map(readContent).filter((content) => content !== undefined)
  const last = contents.at(-1)
  const seen = cursor.skip + items.length
  // Totals and limits are a server's word: only an empty page, or one with room left, is surely the last.
  const room = items.length < (answered || cursor.limit)
  const atEnd = items.length === 0 || (room && (total === undefined ? answered !== undefined : seen >= total))
  const next: Cursor = { ...cursor, limit: nextLimit(cursor.limit, items.length, answer.size) }
  if (cursor.from !== '' || !atEnd) keepWatch(manners, contents, cursor)
  if (!manners.now.window) {
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
  const endsHere = atEnd && !(cursor.from && !manners.now.window)
  return {
    contents,
    size: items.length,
    tooLarge: [],
    total: total ?? seen,
    serverTime: answer.serverTime,
    next: endsHere ? undefined : next,
  }
}

/** Windows need a server that orders and filters by the creation time it shows. */
function keepWatch(manners: Manners, contents: readonly Content[], cursor: Cursor): void {
  let before = cursor.from
  for (const { createdAt } of contents) {
    if (createdAt < before) {
      manners.learn({ ...manners.now, window: false })
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
 * The one content at this place comes in no list as it is: too large, or the server breaks at it. At least its id is
 * told apart, and the content itself at depth 0; more is got by its id later (see pieces.ts).
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
    const [content] = known.value.items.map(readContent)
    const page = finishPage(api.manners[view], known, place)
    if (!content) return page
    const contents = 'select' in less ? [] : [content]
    return { ...page, contents, tooLarge: [content.id], next: page.next && next }
  }
  // When its neighbours do not come either, it is the server: everything waits for that, patiently.
  let isUp = cause instanceof ApiRefusal && cause.code === 'ResponseSizeTooLarge'
  const most = isNonsense(cause) ? 1 : neighbours
  for (let ahead = 1; ahead <= most && !isUp; ahead++) {
    const neighbour = { ...place, skip: place.skip + ahead }
    isUp = !!(await orRefused(list(api, view, model, neighbour, { ...extra, ...idsOnly }, 0)))
  }
  if (!isUp)
    return finishPage(api.manners[view], await list(api, view, model, place, extra, 1, steady), place)
  // Not even its id can be had; the number of contents will show that one is missing.
  const nothing = { contents: [], size: 1, tooLarge: [], total: place.skip + 2 }
  return { ...nothing, serverTime: Date.now() - oneDayMs, next }
}

/** Undefined when the server refuses, or breaks at, just this. */
export async function orRefused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ApiRefusal || isHeavy(error)) return undefined
    if (error instanceof RescueFailure && isIsolated(error)) return undefined
    throw error
  }
}

/** True for a failure that concerns one request and not the whole run. */
export function isIsolated(error: RescueFailure): boolean {
  return ['model_not_found', 'not_allowed', 'server_trouble', 'strange_answer'].includes(error.code)
}

/** One content by its id, at the depth its model is read at or so many levels deeper; undefined when it is gone. */
export async function readOne(
  api: NewtApi,
  view: View,
  model: string,
  id: string,
  deeper = 0,
): Promise<Content | undefined> {
  const { now } = api.manners[view]
  const query = now.depth ? { depth: api.manners[view].depthOf(model) + deeper } : {}
  const body = await api.one(view, model, id, query)
  if (!body) return undefined
  checkDepth(body)
  return readContent(withoutLineBreaks(body))
}
