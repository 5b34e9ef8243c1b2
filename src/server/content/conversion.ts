import { isDeepStrictEqual } from 'node:util'
import { convertValues, type FieldChange, type ModelConversion } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import { type States, takeBack, valuesBefore } from '#shared/fields/take-back.ts'
import { allFields } from '#shared/fields/walk.ts'
import { convertWithMarkdown } from './text-work.ts'

/*
 * After a change of fields, the documents of a large model are converted one after the other while people read
 * and save (docs/decisions/0026). Until all are converted, each document records the shape it is stored in, and
 * every reader converts it.
 */

/** A model with its pending conversions (changes that some documents have not followed yet), oldest first. */
export interface Converting {
  conversions: ModelConversion[]
}

/** The shape that documents must reach; 0 when no conversion is pending. */
export const newestShape = ({ conversions }: Converting) => conversions.at(-1)?.version ?? 0

/** Is a document stored in this shape older than its model's fields? */
export const isBehind = (model: Converting, shape: number) => shape < newestShape(model)

/** Does conversion change the values of a document stored in this shape? If not, at most its unique reservations change. */
export const changesValues = ({ conversions }: Converting, shape: number) =>
  conversions.some(
    ({ version, changes, takesBack }) => version > shape && (changes.length > 0 || takesBack !== undefined),
  )

const changesOf = ({ conversions }: Converting): FieldChange[] =>
  conversions.flatMap(({ changes }) => changes)

/**
 * `_id`s of the fields that documents may store in an older shape or without the reservations they need. Documents with
 * these fields must be visited.
 */
export const convertingFields = (model: Converting) =>
  new Set([
    ...changesOf(model).map(({ from }) => from._id),
    ...model.conversions.flatMap(({ unique }) => unique?.holderIds ?? []),
    ...model.conversions.flatMap(({ takesBack }) => takesBack?.changes.map(({ from }) => from._id) ?? []),
  ])

/** `_id`s of the fields whose unique reservations documents may still have to add or remove. */
export const reservingFields = (model: Converting) =>
  new Set(model.conversions.flatMap(({ unique }) => unique?.fieldIds ?? []))

/** May some documents store this field's value, or a value around it, in an older shape? Then no query can compare by it. */
export const isFieldConverting = (model: Converting, field: Field) =>
  changesOf(model).some(({ from, to }) =>
    allFields(to ? [from, to] : [from]).some(({ _id }) => _id === field._id),
  )

/** Converts values stored in this shape to the model's current fields. Throws 503 when too much Markdown work is queued. */
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

/** The values of the changed fields that a document had before a change of its model's fields. */
export interface KeptValues extends States {
  /** Version of the change. */
  version: number
  /** Version of the document when the change was applied. */
  documentVersion: number
}

/** Versions of the changes that pending conversions take back; for these, documents need their kept values. */
export const takenBack = ({ conversions }: Converting) =>
  conversions.flatMap(({ takesBack }) => takesBack?.version ?? [])

/**
 * {@link inNewestShape} for both states of a document; a draft that becomes equal to the published state is dropped. For a
 * change that is taken back, `kept` holds the document's values before it; without them, its values are converted back. The
 * returned `before` must be kept for the changes applied now.
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
