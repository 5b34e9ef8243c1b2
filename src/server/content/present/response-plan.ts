import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { refersToSeveral } from '#shared/fields/references.ts'
import type { Format } from '../fields/field-type.ts'
import { type ContentModel, targetsOf } from '../model.ts'
import type { ParsedQuery, Selection } from '../query/tree.ts'
import type { InnerPart } from './nested.ts'
import { converterOf, type TextCodec, valueWriter } from './values.ts'

/** The parts of a query that determine the form of contents. */
export type ResponsePlanQuery = Pick<ParsedQuery, 'select' | 'formats' | 'depth'>

/** How to write the contents of one model at one level of the response. */
export interface ResponsePlan {
  model: ContentModel
  /** Whether the reference allows several models, so that contents include the `uid` of their model. */
  isOneOfSeveral: boolean
  /** The selected names of `_sys`; undefined: all. */
  sys: Set<string> | undefined
  parts: Part[]
  references: ReferencePart[]
  assets: Part[]
  converted: ConvertedPart[]
  nested: NestedPart[]
}

export interface Part extends InnerPart<ResponsePlan> {
  field: Field
  /** Start of the property in JSON: `,"uid":` */
  key: string
}
type ReferencePart = Part & { plans: ResponsePlan[] }
type ConvertedPart = Part & Required<Pick<Part, 'convert'>>
type NestedPart = Part & Required<Pick<Part, 'inner'>>

/** A text codec with a cache of the plans for complete contents, by model and depth. */
export interface Codec extends TextCodec {
  plans: WeakMap<ContentModel, ResponsePlan[]>
}
export const plainText: Codec = { plans: new WeakMap(), decode: (text) => text, encode: (text) => text }
export const bytes: Codec = {
  plans: new WeakMap(),
  decode: (text) => Buffer.from(text, 'latin1').toString(),
  encode: (text) => Buffer.from(text).toString('latin1'),
}

/** Returns the plan for contents of the model with the selection, formats and depth of the query. */
export function responsePlanOf(
  model: ContentModel,
  { select, formats, depth }: ResponsePlanQuery,
  codec: Codec,
): ResponsePlan {
  if (select || formats.size > 0) return makePlan(model, depth, select, formats, '', codec)
  return wholePlan(model, depth, codec)
}

function wholePlan(model: ContentModel, depth: number, codec: Codec, isOneOfSeveral = false): ResponsePlan {
  const known = codec.plans.get(model) ?? []
  codec.plans.set(model, known)
  const place = depth * 2 + (isOneOfSeveral ? 1 : 0)
  known[place] ??= isOneOfSeveral
    ? { ...wholePlan(model, depth, codec), isOneOfSeveral }
    : makePlan(model, depth, null, noFormats, '', codec)
  return known[place]
}

function makePlan(
  model: ContentModel,
  depth: number,
  select: Selection | null,
  formats: ReadonlyMap<string, Format>,
  prefix: string,
  codec: Codec,
): ResponsePlan {
  const partOf = (field: Field, path: string, selected: Selection | true | undefined): Part => {
    const key = `,${JSON.stringify(field.uid)}:`
    const write = valueWriter(field)
    if (typeOf(field).nesting) {
      const inner = new Map<string, Part>()
      const within = selected instanceof Object ? selected.fields : null
      return {
        field,
        key,
        write,
        inner(place) {
          const wanted = within ? within.get(place.name) : true
          if (!wanted) return undefined
          const part = inner.get(place.field._id) ?? partOf(place.field, `${path}.${place.name}`, wanted)
          inner.set(place.field._id, part)
          return part
        },
      }
    }
    const convert = converterOf(field, formats.get(path) === 'text', codec)
    if (convert) return { field, key, write, convert }
    if (depth <= 0) return { field, key, write }
    if (typeOf(field).asset) return { field, key, write, isAsset: true, format: formats.get(path) }
    const targets = targetsOf(model, field)
    if (!targets) return { field, key, write }
    if (targets.length === 0) return { field, key, write: () => (isMultiple(field) ? '[]' : 'null') }
    const isOneOfSeveral = refersToSeveral(field)
    const plans = targets.map((target) => {
      if (isPlain(selected, formats, path)) return wholePlan(target, depth - 1, codec, isOneOfSeveral)
      const within = selected instanceof Object ? selected : null
      return { ...makePlan(target, depth - 1, within, formats, `${path}.`, codec), isOneOfSeveral }
    })
    return { field, key, write, plans }
  }
  const parts = model.fields
    .filter((field) => !select || select.fields.has(field.uid))
    .map((field) => partOf(field, prefix + field.uid, select?.fields.get(field.uid)))
  return {
    model,
    isOneOfSeveral: false,
    sys: select?.sys,
    parts,
    references: parts.filter((part): part is ReferencePart => part.plans !== undefined),
    assets: parts.filter((part) => part.isAsset),
    converted: parts.filter((part): part is ConvertedPart => part.convert !== undefined),
    nested: parts.filter((part): part is NestedPart => part.inner !== undefined),
  }
}

const noFormats: ReadonlyMap<string, Format> = new Map()

/** Checks whether everything below this path is selected in its usual form. */
function isPlain(
  nested: Selection | true | undefined,
  formats: ReadonlyMap<string, Format>,
  path: string,
): boolean {
  if (nested !== undefined && nested !== true) return false
  for (const formatted of formats.keys()) if (formatted.startsWith(`${path}.`)) return false
  return true
}

/** Checks whether the plan has neither references nor nested values, so that its contents load no other contents. */
export const isFlat = ({ references, nested }: ResponsePlan) => references.length === 0 && nested.length === 0
