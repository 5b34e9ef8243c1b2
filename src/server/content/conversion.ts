import { isDeepStrictEqual } from 'node:util'
import { convertValues, type FieldChange, type ModelConversion } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import { type States, takeBack, valuesBefore } from '#shared/fields/take-back.ts'
import { allFields } from '#shared/fields/walk.ts'
import { convertWithMarkdown } from './text-work.ts'

/*
 * After a change of fields, a job converts the documents of a large model while users read and save
 * (docs/decisions/0026). Each document records the shape in which it is stored. Until the job has converted a document,
 * readers convert its values.
 */

/** A model with its pending conversions, oldest first: changes of fields that are not applied to all documents yet. */
export interface Converting {
  conversions: ModelConversion[]
}

/** Returns the newest shape, to which all documents are being converted; 0 if no conversion is pending. */
export const newestShape = ({ conversions }: Converting) => conversions.at(-1)?.version ?? 0

/** Checks whether a document stored in this shape is older than its model's fields. */
export const isBehind = (model: Converting, shape: number) => shape < newestShape(model)

/**
 * Checks whether pending conversions may change the values of a document stored in this shape. Otherwise they change at
 * most the document's unique reservations.
 */
export const changesValues = ({ conversions }: Converting, shape: number) =>
  conversions.some(
    ({ version, changes, takesBack }) => version > shape && (changes.length > 0 || takesBack !== undefined),
  )

const changesOf = ({ conversions }: Converting): FieldChange[] =>
  conversions.flatMap(({ changes }) => changes)

/**
 * Returns the `_id`s of the fields whose stored values may be in an older shape or lack the reservations they need. The
 * job must visit documents with these fields.
 */
export const convertingFields = (model: Converting) =>
  new Set([
    ...changesOf(model).map(({ from }) => from._id),
    ...model.conversions.flatMap(({ unique }) => unique?.holderIds ?? []),
    ...model.conversions.flatMap(({ takesBack }) => takesBack?.changes.map(({ from }) => from._id) ?? []),
  ])

/** Returns the `_id`s of the fields whose unique reservations may still have to be added to documents or removed. */
export const reservingFields = (model: Converting) =>
  new Set(model.conversions.flatMap(({ unique }) => unique?.fieldIds ?? []))

/**
 * Checks whether some documents may store the value of this field, or an enclosing value, in an older shape. If so,
 * queries cannot compare this field.
 */
export const isFieldConverting = (model: Converting, field: Field) =>
  changesOf(model).some(({ from, to }) =>
    allFields(to ? [from, to] : [from]).some(({ _id }) => _id === field._id),
  )

/**
 * Converts values stored in this shape to the model's current fields. Throws 503 if the processes that render Markdown
 * are overloaded.
 */
export async function inNewestShape(
  model: Converting,
  shape: number,
  values: StoredValues,
): Promise<StoredValues> {
  let converted = values
  for (const { version, changes } of model.conversions) {
    if (version <= shape) continue
    const before = converted
    converted = await convertWithMarkdown((environment) => convertValues(before, changes, environment))
  }
  return converted
}

/** The values that the changed fields of a document had before a change of its model's fields. */
export interface KeptValues extends States {
  /** Version of the change. */
  version: number
  /** Version of the document when the change was applied. */
  documentVersion: number
}

/**
 * Returns the versions of the changes that pending conversions undo (`takesBack`). For these, documents need their kept
 * values.
 */
export const takenBack = ({ conversions }: Converting) =>
  conversions.flatMap(({ takesBack }) => takesBack?.version ?? [])

/**
 * Converts both states of a document to the model's current fields, as {@link inNewestShape} does. A draft that becomes
 * equal to the published state is dropped.
 *
 * `kept` contains the values before a change that is undone. Without them, the values are converted back. The returned
 * `before` contains the values before the changes that are applied now; the caller must store them.
 */
export async function follow<D extends States & { shape: number; version: number }>(
  model: Converting,
  document: D,
  kept: KeptValues[] = [],
): Promise<{ document: D; before: KeptValues[] }> {
  const before: KeptValues[] = []
  let states: States = { draft: document.draft, pub: document.pub }
  for (const { version, changes, keeps, takesBack } of model.conversions) {
    if (version <= document.shape) continue
    const now = states
    const old = keeps === undefined ? null : valuesBefore(now, changes)
    if (keeps !== undefined && old) before.push({ ...old, version: keeps, documentVersion: document.version })
    const held = takesBack && [...kept, ...before].find((values) => values.version === takesBack.version)
    const isUntouched = held?.documentVersion === document.version
    states = await convertWithMarkdown((environment) =>
      takesBack
        ? takeBack(
            now,
            held && { ...held, isUntouched },
            { changes: takesBack.changes, back: changes },
            environment,
          ).states
        : {
            draft: now.draft && convertValues(now.draft, changes, environment),
            pub: now.pub && convertValues(now.pub, changes, environment),
          },
    )
  }
  const { draft, pub } = states
  const isSame = pub !== null && isDeepStrictEqual(draft, pub)
  return { document: { ...document, pub, draft: isSame ? null : draft }, before }
}
