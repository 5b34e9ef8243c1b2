import { isDeepStrictEqual } from 'node:util'
import { convertValues, type FieldChange, type ModelConversion } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
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

const changesOf = ({ conversions }: Converting): FieldChange[] =>
  conversions.flatMap(({ changes }) => changes)

/** `_id`s of the fields whose values some documents still have in an older shape. */
export const convertingFields = (model: Converting) => new Set(changesOf(model).map(({ from }) => from._id))

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

/** {@link inNewestShape} for both states of a document: a draft that is then the same as what is published is none. */
export async function statesInNewestShape<
  D extends { shape: number; draft: StoredValues | null; pub: StoredValues | null },
>(model: Converting, document: D): Promise<D> {
  const convert = async (values: StoredValues | null) =>
    values && (await inNewestShape(model, document.shape, values))
  return withStates(document, await convert(document.draft), await convert(document.pub))
}

/** The document with other values. */
export function withStates<D>(document: D, draft: StoredValues | null, pub: StoredValues | null): D {
  return { ...document, pub, draft: pub && isDeepStrictEqual(draft, pub) ? null : draft }
}
