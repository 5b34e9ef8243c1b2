import { manifestSchema } from '#archive/format.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { serverTypeOf } from '#server/content/fields/index.ts'
import { LongNumber } from '#server/content/fields/received.ts'
import { receiveValues } from '#server/content/recognition/receive.ts'
import { ArchiveIndex } from '#server/features/moves/archive/archive-index.ts'
import { type ArchivedContent, ArchiveLines } from '#server/features/moves/archive/archive-lines.ts'
import { isExactNumber } from '#server/lib/exact-number.ts'
import type { MovePlan, MoveTypeChoice, PlannedField } from '#shared/contract/move-plans.ts'
import { createResolver } from '#shared/fields/custom-types.ts'
import { parseValue } from '#shared/fields/document.ts'
import { type Field, fieldSchema, isMultiple, typeOf } from '#shared/fields/index.ts'
import { openItems } from '#shared/fields/walk.ts'
import { newId } from '#shared/identifiers.ts'

/**
 * Checks the type choices of a plan with all archived values. Returns a description of each value that a choice would
 * refuse, or change without declaring a difference.
 */
export async function lostValues(source: ArchiveSource, plan: MovePlan): Promise<string[]> {
  const { index, contents } = await readAll(source)
  const lost: string[] = []
  const read = (field: object) => fieldSchema.parse({ ...field, _id: newId() })
  const resolve = createResolver(
    plan.customTypes.map(({ uid, fields }) => ({
      _id: newId(),
      uid,
      fields: fields.map(({ field }) => read(field)),
    })),
  )
  const check = async (model: string, { from, field: planned }: PlannedField, choice: MoveTypeChoice) => {
    const { uid, name } = planned
    const [field] = resolve([read({ uid, name, ...choice.settings })])
    if (!field) throw new Error('no field')
    const codes = choice.differences.map(({ code }) => code)
    for (const { id, values: received, texts } of contents.get(model) ?? []) {
      const { values, notTaken } = await receiveValues([{ from, field }], received, index, texts)
      const { value, issues } = parseValue(field, values[field.uid])
      if (codes.includes('leftOut')) continue
      const wrong = [...notTaken, ...issues.map(({ path, code }) => `${path} ${code}`)]
      const gap = isMultiple(field) ? typeOf(field).emptyItem : undefined
      const came = bare(received[from], index, gap)
      // Fields that are rendered from a source are compared in their rendered form elsewhere.
      const isTold = codes.some((code) => code !== 'emptied') || isRendered(field)
      if (!isTold && !isSame(sent(field, value), came, codes.includes('emptied')))
        wrong.push(`${JSON.stringify(value)} is not ${JSON.stringify(came)}`.slice(0, 200))
      if (wrong.length > 0) lost.push(`${model}.${from} as ${choice.settings.type} (${id}): ${wrong}`)
    }
  }
  for (const { from: model, fields } of plan.models)
    for (const planned of fields) for (const choice of planned.choices) await check(model, planned, choice)
  return lost
}

async function readAll(source: ArchiveSource) {
  const chunks: Buffer[] = []
  for await (const chunk of source.read('manifest.json', 1e9)) chunks.push(chunk)
  const manifest = manifestSchema.parse(JSON.parse(Buffer.concat(chunks).toString()))
  const lines = new ArchiveLines(source, manifest)
  const index = new ArchiveIndex()
  const contents = new Map<string, ArchivedContent[]>()
  for (const model of manifest.models) {
    const own: ArchivedContent[] = []
    contents.set(model.uid, own)
    for (const view of ['api', 'cdn'] as const)
      for await (const content of lines.contents(model, view, { withTexts: true })) {
        if (!content) continue
        index.addDocument(model.uid, content.id)
        index.addValues(content.values)
        own.push(content)
      }
  }
  index.settleCopies(() => false)
  return { index, contents }
}

/** Returns a value as sites receive it, with references replaced by their `_id`s. */
function sent(field: Field, stored: unknown): unknown {
  const type = typeOf(field)
  if (stored === undefined) return isMultiple(field) ? [] : (type.empty ?? null)
  if (type.nesting) {
    const items = openItems(field, stored).map(({ item, frame, places }) => ({
      ...(item._id === undefined ? {} : { _id: item._id }),
      ...frame,
      ...Object.fromEntries(places.map(({ key, name, field: inner }) => [name, sent(inner, item[key])])),
    }))
    return isMultiple(field) ? items : items[0]
  }
  const one = (value: unknown): unknown => {
    const json = serverTypeOf(field).sent?.(JSON.stringify(value))
    return json === undefined ? value : JSON.parse(json)
  }
  return Array.isArray(stored) ? stored.map(one) : one(stored)
}

const isRendered = (field: Field): boolean =>
  serverTypeOf(field).present?.html !== undefined ||
  (typeOf(field).nesting?.fields(field) ?? []).some((inner) => isRendered(inner as Field))

/**
 * Returns a value with references replaced by their `_id`s. Null entries of a list become `gap`; without `gap`, null
 * and empty texts are removed from lists.
 */
function bare(value: unknown, index: ArchiveIndex, gap?: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => bare(item, index))
    return gap === undefined
      ? items.filter((item) => item !== null && item !== '')
      : items.map((item) => item ?? gap)
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof LongNumber && isExactNumber(value.text)) return Number(value.text)
  const id = index.asset(value)?.id ?? index.document(value)?.id
  if (id) return id
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bare(inner, index)]))
}

/**
 * Returns whether two values are equal. All empty values are equal; with `emptied`, an object that contains only empty
 * values is empty.
 */
function isSame(a: unknown, b: unknown, emptied: boolean): boolean {
  const isNothing = (value: unknown): boolean =>
    value == null ||
    value === '' ||
    (Array.isArray(value)
      ? value.length === 0
      : emptied && isObject(value) && Object.values(value).every(isNothing))
  const told = (value: unknown) => (isNothing(value) ? null : value)
  // An untouched checkbox equals false.
  if (isNothing(a) && isNothing(b)) return true
  if ((a === false && isNothing(b)) || (b === false && isNothing(a))) return true
  if (!isObject(a) || !isObject(b)) return told(a) === told(b)
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every((key) => isSame(a[key], b[key], emptied))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
