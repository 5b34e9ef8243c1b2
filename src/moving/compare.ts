import type { AssetFinder } from '#archive/asset-urls.ts'
import { isAsset, isRecord } from '#archive/shapes.ts'
import { freeUids } from '#shared/free-uids.ts'
import { removalsOf } from '#shared/html-removals.ts'
import { isFromQuill } from '#shared/quill-html.ts'
import { storableTextOf } from '#shared/unicode.ts'
import { isBlankHtml, structureOf } from './html-structure.ts'

/** The reason for an expected difference of a value. */
export type Explanation =
  /** The URL of a file, which is now stored in Imori. */
  | 'address'
  /** Equivalent HTML in another notation, or rendered again from its Markdown. */
  | 'html'
  /** HTML without disallowed parts. {@link Difference.removed} lists these parts. */
  | 'removed'
  /** Markup of Quill: indented lists became nested lists, and other indents and alignment became styles. */
  | 'quill'
  /** File metadata is detected from the content of the file, and its file name is made portable. */
  | 'file'
  /** A number or another value is stored as text. */
  | 'asText'
  /** The archive contains only an id, because the content was too large to be exported with its references. */
  | 'expanded'
  /** Another notation of an empty value. */
  | 'nothing'
  /** The field's name is not a valid uid, or a user changed it in the plan. */
  | 'renamed'
  /** With depth 0, Imori also returns references to unpublished contents. */
  | 'unpublished'
  /** Without characters that the database cannot store: NUL and lone surrogates. */
  | 'characters'
  /** The same time or colour in another notation. */
  | 'normalized'
  /** A number that is too large for a number field. It is left out, and the plan of the import lists it. */
  | 'leftOut'

export interface Difference {
  path: string
  /** null: unexplained, so a value may be lost or wrong. */
  explanation: Explanation | null
  expected: unknown
  actual: unknown
  /** Kinds of removed HTML (`<font>`) with counts. */
  removed?: ReadonlyMap<string, number>
}

export interface Comparing {
  /** Finds URLs of the source's files in texts. */
  finder: AssetFinder
  /** `_id`s of files by their URL at the source. */
  assetIds: ReadonlyMap<string, string>
  /** `_id`s of unpublished documents. */
  unpublished: ReadonlySet<string>
  /** Whether the HTML at this path may have been rendered again from Markdown. */
  isRendered(path: string): boolean
}

/** Stands for an `_id` that the import created for a file that only texts use. */
export const unknownFile = 'any'

/** Returns all differences between two responses, including differences in the order of field names. */
export function compare(expected: unknown, actual: unknown, comparing: Comparing): Difference[] {
  const differences: Difference[] = []
  const add = (path: string, explanation: Explanation | null, one: unknown, other: unknown) =>
    differences.push({ path, explanation, expected: one, actual: other })
  const addText = (path: string, one: string, other: string) => {
    const explanation = explainText(one, other, comparing, path)
    const removed = explanation === 'removed' ? { removed: removalsOf(one) } : {}
    differences.push({ path, explanation, expected: one, actual: other, ...removed })
  }
  const visit = (one: unknown, other: unknown, path: string, isOfFile: boolean): void => {
    // Also true for 0 and -0, whose difference does not matter to sites.
    if (one === other) return
    if (isNothing(one) && isNothing(other)) {
      // Reported, because `null` and `[]` differ as JSON, and sites may depend on it.
      add(path, 'nothing', one, other)
    } else if (typeof one === 'string' && typeof other === 'string') {
      if (isOfFile && isAboutFile(path)) add(path, 'file', one, other)
      else addText(path, one, other)
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
    else if (isRecord(other) && typeof one === 'string' && one === other._id)
      add(path, 'expanded', one, other)
    else if (typeof other === 'string' && isTextOf(other, one)) add(path, 'asText', one, other)
    else if (isLeftOut(one, other)) add(path, 'leftOut', one, other)
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
    const renamed = newNames(one, other)
    for (const [key, value] of Object.entries(one)) {
      const now = renamed.get(key)
      if (now !== undefined) {
        add(at(key), 'renamed', key, now)
        visit(value, other[now], at(key), file)
      } else visit(value, Object.hasOwn(other, key) ? other[key] : undefined, at(key), file)
    }
    const names = new Set(renamed.values())
    for (const [key, value] of Object.entries(other))
      if (!Object.hasOwn(one, key) && !names.has(key)) visit(undefined, value, at(key), file)
    const order = Object.keys(one).filter((key) => Object.hasOwn(other, key))
    const orderNow = Object.keys(other).filter((key) => Object.hasOwn(one, key))
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

const isLeftOut = (one: unknown, other: unknown): boolean =>
  typeof one === 'number' && Math.abs(one) > Number.MAX_SAFE_INTEGER && isNothing(other)

const isAboutFile = (path: string) =>
  /(?:^|\.)(?:fileName|fileType|fileSize|width|height|title|metadata(?:\..+)?)$/.test(path)

const isTextOf = (text: string, value: unknown) =>
  text === (typeof value === 'object' ? JSON.stringify(value) : String(value)) ||
  (typeof value === 'number' && Number(text) === value)

/**
 * Returns the new names of fields by their old names. First assigns the names that the plan chooses automatically.
 * Other names were corrected by a user, and are assigned by position, because the order is kept. They are only assigned
 * if the numbers of old and new names with values are equal, so that a lost value stays unexplained.
 */
function newNames(one: Record<string, unknown>, other: Record<string, unknown>): Map<string, string> {
  const missing = Object.keys(one).filter((key) => !Object.hasOwn(other, key))
  const names = new Map<string, string>()
  if (missing.length === 0) return names
  const extra = new Set(Object.keys(other).filter((key) => !Object.hasOwn(one, key)))
  const planned = freeUids('field', Object.keys(one))
  for (const key of missing) {
    const uid = planned.get(key)
    if (uid !== undefined && extra.delete(uid)) names.set(key, uid)
  }
  const left = missing.filter((key) => !names.has(key) && !isNothing(one[key]))
  const free = [...extra].filter((key) => !isNothing(other[key]))
  if (left.length === free.length)
    for (const [index, key] of left.entries()) names.set(key, free[index] as string)
  return names
}

function explainText(one: string, other: string, comparing: Comparing, path: string): Explanation | null {
  const kept = storableTextOf(one)
  // Rich text without content is stored as an empty value.
  if (other === '' && isBlankHtml(kept)) return 'nothing'
  const before = marked(kept, comparing)
  const now = withMarks(other, comparing)
  if (before === now) return kept === one ? 'address' : 'characters'
  if (isMoment(one) && isMoment(other) && Date.parse(one) === Date.parse(other)) return 'normalized'
  if (/^#[0-9a-f]+$/i.test(one) && one.toLowerCase() === other.toLowerCase()) return 'normalized'
  return /[<&]/.test(kept) ? explainHtml(kept, before, now, comparing.isRendered(path)) : null
}

function explainHtml(one: string, before: string, now: string, isRendered: boolean): Explanation | null {
  const [there, here] = [before, now].map((html) => html.replaceAll('file:', 'https://file.invalid/')) as [
    string,
    string,
  ]
  const isSame = structureOf(there) === structureOf(here)
  if (
    !isSame &&
    !(isRendered && structureOf(there, { loosely: true }) === structureOf(here, { loosely: true }))
  )
    return null
  if (removalsOf(one).size > 0) return 'removed'
  return isFromQuill(one) && !isFromQuill(now) ? 'quill' : 'html'
}

const isMoment = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text)

/** Returns the text with the URLs of known files replaced by marks with their `_id`s. */
function marked(text: string, { finder, assetIds }: Comparing): string {
  const markOf = (url: string) => {
    const id = assetIds.get(url)
    return id === undefined ? undefined : `file:${id}`
  }
  // In a text that is a single URL, the URL may contain characters that would otherwise end it.
  const whole = /^https?:[^\s"<>]+$/.test(text) ? markOf(finder.ofSource(text) ?? '') : undefined
  return whole ?? withoutQueries(finder.replaceInText(text, markOf))
}

const ownAddress =
  /(?:https?:)?(?:\/|\\+\/|%(?:25)?2F){2}[\w.:%-]*(?:(?:\/|\\+\/|%(?:25)?2F)[\w.-]+)?\.assets[\w.:-]*(?:\/|\\+\/|%(?:25)?2F)v1(?:\/|\\+\/|%(?:25)?2F)([0-9a-f]{24})(?:\/|\\+\/|%(?:25)?2F)[^\s"'<>()\\?&,;]*/gi

/**
 * Replaces the URLs of files of this installation by marks. A file with an `_id` that the archive does not contain gets
 * the mark of {@link unknownFile}.
 */
const withMarks = (text: string, { finder, assetIds }: Comparing) => {
  const known = new Set(assetIds.values())
  // Missing files keep their original URL.
  const mark = (address: string, id: string) =>
    finder.inText(address).length > 0 ? address : `file:${known.has(id) ? id : unknownFile}`
  return withoutQueries(text.replace(wholeAddress, mark).replace(ownAddress, mark))
}

/** Matches a text that is a single URL, whatever its file name contains. */
const wholeAddress = /^https?:\/\/[^\s"<>]*\.assets[\w.:-]*\/v1\/([0-9a-f]{24})\/[^\s"<>/?]*/

/** Removes queries after marks, because the new URL of an imported file keeps the query of its old URL. */
const withoutQueries = (text: string) =>
  text.replace(/(file:(?:[0-9a-f]{24}|any))(?:\?|%(?:25)?3F)[^\s"'<>()\\,]*/gi, '$1')
