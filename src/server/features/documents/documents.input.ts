import { serverTypeOf } from '#server/content/fields/index.ts'
import { Pace } from '#server/lib/pace.ts'
import { WorkTooLarge } from '#server/lib/worker-pool.ts'
import { AppError, type Issue, invalid } from '#shared/errors.ts'
import { fitValue } from '#shared/fields/convert.ts'
import { parseValue, parseValues, type StoredValues, type ValueModel } from '#shared/fields/document.ts'
import type { OtherNames } from '#shared/fields/field-type.ts'
import type { Field } from '#shared/fields/index.ts'
import { renamedValues } from '#shared/fields/renamed-values.ts'
import { joinPath, mapValue, walkField } from '#shared/fields/walk.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { GivenValues } from './documents.merge.ts'

/** A document of more JSON than this is refused. */
export const maximumBytes = 1024 * 1024
/** An answer names at most this many culprits. */
const maximumIssues = 500

/** A document as a body brings it: values by field uid, and what came along of `_id` and `_sys`. */
export interface DocumentBody {
  id: string | undefined
  baseVersion: number | undefined
  values: Record<string, unknown>
}

/** Takes `_id` and `_sys` off a document's values. Throws 400 when they are none that we could have answered. */
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

/** Throws `InvalidContentId` for what is no 24-hex id. */
export function checkId(id: string): void {
  if (!idPattern.test(id)) throw new AppError('InvalidContentId')
}

/** Reads values by uid as given values by `_id`, rich text by our policy; with what is wrong with them. */
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

/** Reads values that were made of received ones, by uid; what is nothing is left out. */
export async function readReceived(
  model: ValueModel,
  raw: Record<string, unknown>,
): Promise<{ values: StoredValues; issues: Issue[] }> {
  const { given, issues } = await readValues(model, raw)
  return { values: Object.fromEntries([...given].filter(([, value]) => value !== undefined)), issues }
}

/**
 * Reads values that were written by an installation of Imori, by uid, with what they name called otherwise; what is nothing is
 * left out. `trusted`: by this one, which has looked at their texts.
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

/** Reads one field's value as {@link readValues} does. Paths of issues are relative to the field. */
export async function readFieldValue(
  field: Field,
  raw: unknown,
): Promise<{ value: unknown; issues: Issue[] }> {
  const { value, issues } = parseValue(field, raw)
  const read = await accepted(field, value)
  return { value: read.value, issues: [...issues, ...read.issues] }
}

/** The stored value with its texts as they are fit to be kept, also those inside. Paths are relative to the field. */
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
    // What is left may be nothing.
    return parseValue(field, fit)
  } catch (error) {
    if (!(error instanceof WorkTooLarge)) throw error
    return { value: undefined, issues: [{ path: '', code: 'TooComplex' } as const] }
  }
}

/** The values of a revision, by field `_id`, as far as today's fields can read them. */
export async function readRevision(
  { fields }: Pick<ValueModel, 'fields'>,
  written: StoredValues,
): Promise<StoredValues> {
  const values: StoredValues = {}
  const pace = new Pace()
  for (const field of fields) {
    await pace.giveWay()
    // Sanitised again: it may have been written as plain text, before the field held HTML.
    const { value } = await accepted(field, fitValue(field, written[field._id]))
    if (value !== undefined) values[field._id] = value
  }
  return values
}

/** Is this document more than 1 MB of JSON? */
export function isTooLarge(values: Record<string, unknown>): boolean {
  return bytesAtMost(values) > maximumBytes && Buffer.byteLength(JSON.stringify(values)) > maximumBytes
}

/** Bytes that a value has as JSON at most: most documents need not be written to know that they are small. */
export function bytesAtMost(value: unknown): number {
  if (typeof value === 'string') return 6 * value.length + 3
  if (typeof value !== 'object' || value === null) return 30
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + bytesAtMost(item), 2)
  let sum = 2
  for (const [key, inner] of Object.entries(value)) sum += 6 * key.length + 4 + bytesAtMost(inner)
  return sum
}
