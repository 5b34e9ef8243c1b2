import type { AssetFinder } from '#archive/asset-urls.ts'
import { isAsset, isContent, isRecord } from '#archive/shapes.ts'
import { uidProblem } from '#shared/identifiers.ts'
import { storableTextOf } from '#shared/unicode.ts'

/** Why a value is other than it was, and nothing is lost. */
export type Explanation =
  /** A file lies with us now. */
  | 'address'
  /** The same text and the same pictures in other HTML: rendered anew, or without what may not be delivered. */
  | 'html'
  /** What is said of a file was found in it, and its name is one on every system. */
  | 'file'
  /** A number or the like as its text. */
  | 'asText'
  /** Nothing, told in another way. */
  | 'nothing'
  /** A word of ours cannot be the name of a field. */
  | 'renamed'
  /** At depth 0 references to what is not published are named as well. */
  | 'unpublished'
  /** Without characters that no database keeps: NUL, halves of surrogate pairs. */
  | 'characters'
  /** The same moment, colour or emoji written in another way. */
  | 'normalized'

export interface Difference {
  path: string
  /** Null: there is none, so something was lost. */
  explanation: Explanation | null
  expected: unknown
  actual: unknown
}

/** What differences are told by. */
export interface Comparing {
  /** Finds addresses of the source. */
  finder: AssetFinder
  /** `_id`s of files by their address there. */
  assetIds: ReadonlyMap<string, string>
  /** `_id`s of documents that are not published. */
  unpublished: ReadonlySet<string>
}

/** In place of the `_id` of a file that only texts show: it got one when it moved in. */
export const unknownFile = 'any'

/** Every place at which an answer is other than it was. Names of fields count in their order. */
export function compare(expected: unknown, actual: unknown, comparing: Comparing): Difference[] {
  const differences: Difference[] = []
  const add = (path: string, explanation: Explanation | null, one: unknown, other: unknown) =>
    differences.push({ path, explanation, expected: one, actual: other })
  const visit = (one: unknown, other: unknown, path: string, isOfFile: boolean): void => {
    if (Object.is(one, other)) return
    if (isNothing(one) && isNothing(other)) {
      // As JSON `null` and `[]` are not the same, and sites may look.
      add(path, 'nothing', one, other)
    } else if (typeof one === 'string' && typeof other === 'string') {
      add(path, isOfFile && isAboutFile(path) ? 'file' : explainText(one, other, comparing), one, other)
    } else if (Array.isArray(one) && Array.isArray(other)) {
      const [there, now] = [one.filter((item) => !isNothing(item)), other.filter((item) => !isHidden(item))]
      if (one.length === other.length) visitItems(one, other, path, isOfFile)
      else if (there.length === now.length) {
        add(path, now.length < other.length ? 'unpublished' : 'nothing', one, other)
        visitItems(there, now, path, isOfFile)
      } else add(path, null, one, other)
    } else if (isNothing(one) && isHidden(other)) add(path, 'unpublished', one, other)
    else if (isRecord(one) && isRecord(other)) visitRecord(one, other, path, isOfFile)
    else if (isOfFile && isAboutFile(path)) add(path, 'file', one, other)
    else if (typeof other === 'string' && isTextOf(other, one)) add(path, 'asText', one, other)
    else add(path, null, one, other)
  }
  const isHidden = (value: unknown) => typeof value === 'string' && comparing.unpublished.has(value)
  const visitItems = (one: unknown[], other: unknown[], path: string, isOfFile: boolean): void => {
    for (const [index, item] of one.entries()) visit(item, other[index], `${path}.${index}`, isOfFile)
  }
  const visitRecord = (
    one: Record<string, unknown>,
    other: Record<string, unknown>,
    path: string,
    isOfFile: boolean,
  ): void => {
    const file = isOfFile || isAsset(one)
    const at = (key: string) => (path === '' ? key : `${path}.${key}`)
    const renamed = new Set<string>()
    for (const [key, value] of Object.entries(one)) {
      const now = key in other ? undefined : newName(key, value, one, other)
      if (now !== undefined) {
        renamed.add(now)
        add(at(key), 'renamed', key, now)
        visit(value, other[now], at(key), file)
      } else visit(value, other[key], at(key), file)
    }
    for (const [key, value] of Object.entries(other))
      if (!(key in one) && !renamed.has(key)) visit(undefined, value, at(key), file)
    const order = Object.keys(one).filter((key) => key in other)
    const orderNow = Object.keys(other).filter((key) => key in one)
    if (order.join() !== orderNow.join()) add(`${path} (order)`, file ? 'file' : null, order, orderNow)
  }
  visit(expected, actual, '', false)
  return differences
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && !('_id' in value) && Object.values(value).every(isNothing))

const isAboutFile = (path: string) =>
  /(?:^|\.)(?:fileName|fileType|fileSize|width|height|title|metadata(?:\..+)?)$/.test(path)

const isTextOf = (text: string, value: unknown) =>
  text === (typeof value === 'object' ? JSON.stringify(value) : String(value)) ||
  (typeof value === 'number' && Number(text) === value)

/** What a field that cannot be called so is called now. */
function newName(
  key: string,
  value: unknown,
  one: Record<string, unknown>,
  other: Record<string, unknown>,
): string | undefined {
  if (uidProblem('field', key) === null || !(isContent(one) || '_id' in one)) return undefined
  const extra = Object.keys(other).filter((name) => !(name in one))
  return (
    extra.find((name) => JSON.stringify(other[name]) === JSON.stringify(value)) ??
    extra.find((name) => name.startsWith(key))
  )
}

function explainText(one: string, other: string, comparing: Comparing): Explanation | null {
  const kept = storableTextOf(one)
  const before = marked(kept, comparing)
  const now = withMarks(other, comparing)
  if (before === now) return kept === one ? 'address' : 'characters'
  if (isMoment(one) && isMoment(other) && Date.parse(one) === Date.parse(other)) return 'normalized'
  if (/^#[0-9a-f]+$/i.test(one) && one.toLowerCase() === other.toLowerCase()) return 'normalized'
  if (/[<&]/.test(one) && fingerprint(before) === fingerprint(now)) return 'html'
  return null
}

const isMoment = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text)

/** A text with marks in place of the addresses of files: the `_id` where it is known. */
function marked(text: string, { finder, assetIds }: Comparing): string {
  const markOf = (url: string) => {
    const id = assetIds.get(url)
    return id === undefined ? undefined : `file:${id}`
  }
  // A text that is one address may hold signs that would end it elsewhere.
  const whole = /^https?:[^\s"<>]+$/.test(text) ? markOf(finder.ofSource(text) ?? '') : undefined
  return whole ?? withoutQueries(finder.replaceInText(text, markOf))
}

const ownAddress =
  /(?:https?:)?(?:\/|\\+\/|%(?:25)?2F){2}[\w.:%-]*(?:(?:\/|\\+\/|%(?:25)?2F)[\w.-]+)?\.assets[\w.:-]*(?:\/|\\+\/|%(?:25)?2F)v1(?:\/|\\+\/|%(?:25)?2F)([0-9a-f]{24})(?:\/|\\+\/|%(?:25)?2F)[^\s"'<>()\\?&,;]*/gi

/** Files whose `_id` the archive does not know are any. */
const withMarks = (text: string, { finder, assetIds }: Comparing) => {
  const known = new Set(assetIds.values())
  // What was missing is where it was.
  const mark = (address: string, id: string) =>
    finder.inText(address).length > 0 ? address : `file:${known.has(id) ? id : unknownFile}`
  return withoutQueries(text.replace(wholeAddress, mark).replace(ownAddress, mark))
}

/** A text that is one address, whatever its name holds. */
const wholeAddress = /^https?:\/\/[^\s"<>]*\.assets[\w.:-]*\/v1\/([0-9a-f]{24})\/[^\s"<>/?]*/

/** An address that is a file's now keeps its query; the mark has none, so that both compare. */
const withoutQueries = (text: string) =>
  text.replace(/(file:(?:[0-9a-f]{24}|any))(?:\?|%(?:25)?3F)[^\s"'<>()\\,]*/gi, '$1')

/** What people see of HTML: its words, and what it shows and links to. */
function fingerprint(html: string): string {
  const shown = html.replace(/<(script|style|noscript|template)\b[\s\S]*?<\/\1\s*>/gi, '')
  const sources = [
    ...shown.matchAll(/<(?:img|iframe|video|audio|source)\b[^>]*?\ssrc\s*=\s*["']?([^"'\s>]+)/gi),
  ].map(([, src]) => decode(src ?? ''))
  const text = decode(shown.replace(/<[^>]*>/g, ' ')).replace(/\s+/gu, '')
  return JSON.stringify([text, sources])
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

const decode = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name) return named[String(name).toLowerCase()] ?? whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
