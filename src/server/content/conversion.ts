import { isDeepStrictEqual } from 'node:util'
import { convertValues, type FieldChange, type ModelConversion } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import { type States, takeBack, valuesBefore } from '#shared/fields/take-back.ts'
import { allFields } from '#shared/fields/walk.ts'
import { convertWithMarkdown } from './text-work.ts'

/*
 * Documents of a large model follow a change of its fields one after the other, while people read and save
 * (docs/decisions/0026). Until all have, a document says in which shape it is stored, and whoever reads it converts it.
 */

/** A model with the changes that not all of its documents have followed yet, the oldest first. */
export interface Converting {
  conversions: ModelConversion[]
}

/** The shape that documents are to have; 0: any will do, nothing is being converted. */
export const newestShape = ({ conversions }: Converting) => conversions.at(-1)?.version ?? 0

/** Is a document that is stored in this shape behind its model's fields? */
export const isBehind = (model: Converting, shape: number) => shape < newestShape(model)

/** Is a document that is stored in this shape to hold other values? Else it has to reserve some at most. */
export const changesValues = ({ conversions }: Converting, shape: number) =>
  conversions.some(
    ({ version, changes, takesBack }) => version > shape && (changes.length > 0 || takesBack !== undefined),
  )

const changesOf = ({ conversions }: Converting): FieldChange[] =>
  conversions.flatMap(({ changes }) => changes)

/** `_id`s of the fields that documents may have in an older shape, or not reserved as they are to be, and so are to be visited. */
export const convertingFields = (model: Converting) =>
  new Set([
    ...changesOf(model).map(({ from }) => from._id),
    ...model.conversions.flatMap(({ unique }) => unique?.holderIds ?? []),
    ...model.conversions.flatMap(({ takesBack }) => takesBack?.changes.map(({ from }) => from._id) ?? []),
  ])

/** `_id`s of the fields of which documents do not have the values reserved yet that must not repeat, or still have. */
export const reservingFields = (model: Converting) =>
  new Set(model.conversions.flatMap(({ unique }) => unique?.fieldIds ?? []))

/** May some documents hold this field's value, or what it is inside of, in an older shape, so that no query can compare by it? */
export const isFieldConverting = (model: Converting, field: Field) =>
  changesOf(model).some(({ from, to }) =>
    allFields(to ? [from, to] : [from]).some(({ _id }) => _id === field._id),
  )

/** Values that are stored in this shape as the model's fields read today. Throws 503 when too much is waiting. */
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

/** What a document held before a change of its model's fields, in these fields alone. */
export interface KeptValues extends States {
  /** Of the change. */
  version: number
  /** Of the document then. */
  documentVersion: number
}

/** Versions of the changes that conversions of the model take back: documents need what was kept of them. */
export const takenBack = ({ conversions }: Converting) =>
  conversions.flatMap(({ takesBack }) => takesBack?.version ?? [])

/**
 * {@link inNewestShape} for both states of a document: a draft that is then the same as what is published is none. Where a
 * change is taken back, `kept` is what the document held before it; without that, its values are converted back. `before`
 * is what is to be kept of the changes that it follows now.
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
