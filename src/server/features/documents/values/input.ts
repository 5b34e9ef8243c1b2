import { serverTypeOf } from '#server/content/fields/index.ts'
import { Pace } from '#server/lib/pace.ts'
import { WorkTooLarge } from '#server/lib/worker-errors.ts'
import { AppError, type Issue, invalid } from '#shared/errors.ts'
import { fitValue } from '#shared/fields/convert.ts'
import { parseValue, parseValues, type StoredValues, type ValueModel } from '#shared/fields/document.ts'
import type { OtherNames } from '#shared/fields/field-type.ts'
import type { Field } from '#shared/fields/index.ts'
import { renamedValues } from '#shared/fields/renamed-values.ts'
import { joinPath, mapValue, walkField } from '#shared/fields/walk.ts'
import { idPattern } from '#shared/identifiers.ts'
import { applyValues, type GivenValues } from './merge.ts'

/** Maximum size of a document as JSON, in bytes. */
export const maximumBytes = 1024 * 1024
/** Maximum number of issues that reading the values of a document returns. */
const maximumIssues = 500

/** A document from a request body: values by field uid, and the parsed `_id` and `_sys`. */
export interface DocumentBody {
  id: string | undefined
  baseVersion: number | undefined
  values: Record<string, unknown>
}

/** Separates `_id` and `_sys` from a document's values. Throws 400 if they are invalid. */
export function readBody(body: Record<string, unknown>, path: string): DocumentBody {
  const { _id: id, _sys: sys, ...values } = body
  if (id != null && (typeof id !== 'string' || !idPattern.test(id)))
    throw new AppError('InvalidContentId', { issues: [{ path: `${path}._id`, code: 'InvalidFormat' }] })
  if (sys != null && (typeof sys !== 'object' || Array.isArray(sys)))
    throw invalid(`${path}._sys`, 'InvalidType')
  const { version } = (sys ?? {}) as { version?: unknown }
  if (version != null && !isVersion(version)) throw invalid(`${path}._sys.version`, 'InvalidType')
  return { id: id ?? undefined, baseVersion: isVersion(version) ? version : undefined, values }
}

const isVersion = (version: unknown): version is number =>
  Number.isInteger(version) && Number(version) >= 1 && Number(version) <= 2_147_483_647

/** Throws `InvalidContentId` unless the id is a 24-hex id. */
export function checkId(id: string): void {
  if (!idPattern.test(id)) throw new AppError('InvalidContentId')
}

/** Converts values by uid to values by `_id`, and sanitises rich text. Returns them with the issues. */
export async function readValues(
  model: ValueModel,
  raw: Record<string, unknown>,
): Promise<{ given: GivenValues; issues: Issue[] }> {
  const { values, issues } = parseValues(model, raw)
  const given: GivenValues = new Map()
  const pace = new Pace()
  for (const field of model.fields) {
    if (!Object.hasOwn(raw, field.uid)) continue
    const read = await accepted(field, values[field._id])
    given.set(field._id, read.value)
    for (const issue of read.issues) issues.push({ ...issue, path: joinPath(field.uid, issue.path) })
    await pace.giveWay()
  }
  return { given, issues: issues.slice(0, maximumIssues) }
}

/** Reads the values of a body and applies them to `current`. Throws 413 before any expensive work. */
export async function readGiven(
  model: ValueModel,
  current: StoredValues,
  raw: Record<string, unknown>,
): Promise<{ values: StoredValues; issues: Issue[]; given: GivenValues }> {
  if (isTooLarge(raw)) throw new AppError('RequestFileTooLarge')
  const { given, issues } = await readValues(model, raw)
  return { given, issues, values: applyValues(current, given) }
}

/** Converts values by uid that were built from delivered values, like {@link readValues}. Empty values are omitted. */
export async function readReceived(
  model: ValueModel,
  raw: Record<string, unknown>,
): Promise<{ values: StoredValues; issues: Issue[] }> {
  const { given, issues } = await readValues(model, raw)
  return { values: Object.fromEntries([...given].filter(([, value]) => value !== undefined)), issues }
}

/**
 * Converts values by uid that an Imori installation wrote. Empty values are omitted. `names`: replacements for the
 * `_id`s of documents and assets in the values. `trusted`: this installation wrote the values, so their texts are
 * already sanitised.
 */
export async function readCarried(
  model: ValueModel,
  raw: Record<string, unknown>,
  { names, trusted }: { names: OtherNames; trusted: boolean },
): Promise<{ values: StoredValues; issues: Issue[] }> {
  const { values: parsed, issues } = parseValues(model, raw)
  const values = renamedValues(model, parsed, names)
  if (trusted) return { values, issues }
  const pace = new Pace()
  for (const field of model.fields) {
    if (values[field._id] === undefined) continue
    const read = await accepted(field, values[field._id])
    if (read.value === undefined) delete values[field._id]
    else values[field._id] = read.value
    for (const issue of read.issues) issues.push({ ...issue, path: joinPath(field.uid, issue.path) })
    await pace.giveWay()
  }
  return { values, issues: issues.slice(0, maximumIssues) }
}

/** Converts one field's value like {@link readValues}. Issue paths are relative to the field. */
export async function readFieldValue(
  field: Field,
  raw: unknown,
): Promise<{ value: unknown; issues: Issue[] }> {
  const { value, issues } = parseValue(field, raw)
  const read = await accepted(field, value)
  return { value: read.value, issues: [...issues, ...read.issues] }
}

/** Sanitises the texts of a value, including nested ones. Issue paths are relative to the field. */
async function accepted(field: Field, value: unknown): Promise<{ value: unknown; issues: Issue[] }> {
  const texts: { path: string; field: Field; text: string; accept: Accept }[] = []
  walkField(field, value, '', ({ path, field: inner, value: text }) => {
    const { accept } = serverTypeOf(inner)
    if (accept && typeof text === 'string') texts.push({ path, field: inner, text, accept })
  })
  if (texts.length === 0) return { value, issues: [] }
  const issues: Issue[] = []
  const kept = new Map<string, unknown>()
  const pace = new Pace()
  for (const { path, field: inner, text, accept } of texts) {
    const read = await acceptText(inner, text, accept)
    kept.set(path, read.value)
    for (const issue of read.issues) issues.push({ ...issue, path: joinPath(path, issue.path) })
    await pace.giveWay()
  }
  const change = ({ path, value: inner }: { path: string; value: unknown }) =>
    kept.has(path) ? kept.get(path) : inner
  return { value: mapValue(field, value, change, ''), issues }
}

type Accept = (text: string) => Promise<string | null>

async function acceptText(field: Field, text: string, accept: Accept) {
  try {
    const fit = await accept(text)
    if (fit === null) return { value: undefined, issues: [{ path: '', code: 'InvalidValue' } as const] }
    // Sanitising may leave an empty value.
    return parseValue(field, fit)
  } catch (error) {
    if (!(error instanceof WorkTooLarge)) throw error
    return { value: undefined, issues: [{ path: '', code: 'TooComplex' } as const] }
  }
}

/** Converts the values of a revision to values by field `_id`, as far as they fit the current fields. */
export async function readRevision(
  { fields }: Pick<ValueModel, 'fields'>,
  written: StoredValues,
): Promise<StoredValues> {
  const values: StoredValues = {}
  const pace = new Pace()
  for (const field of fields) {
    await pace.giveWay()
    // Texts are sanitised again: the value may have been written as plain text, before the field contained HTML.
    const { value } = await accepted(field, fitValue(field, written[field._id]))
    if (value !== undefined) values[field._id] = value
  }
  return values
}

/** Checks whether the document exceeds 1 MB of JSON. */
export function isTooLarge(values: Record<string, unknown>): boolean {
  return bytesAtMost(values) > maximumBytes && Buffer.byteLength(JSON.stringify(values)) > maximumBytes
}

/**
 * Returns an upper bound of a value's size as JSON, so that most documents need not be serialised to check their size.
 */
export function bytesAtMost(value: unknown): number {
  if (typeof value === 'string') return 6 * value.length + 3
  if (typeof value !== 'object' || value === null) return 30
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + bytesAtMost(item), 2)
  let sum = 2
  for (const [key, inner] of Object.entries(value)) sum += 6 * key.length + 4 + bytesAtMost(inner)
  return sum
}
