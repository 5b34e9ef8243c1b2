import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { adminFieldType, isMultipleField } from '#admin/fields/index.ts'
import { customTypesQuery, modelsQuery } from '#admin/lib/queries.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { Field } from '#shared/fields/index.ts'
import type { ModelPlace } from '../documents.queries.ts'

/** What else of the app a path may lead through. */
export interface Surroundings {
  models: readonly Pick<Model, 'uid' | 'fields'>[]
  customTypes: readonly CustomType[]
}

/** A model as lists look at it: without its surroundings only the model's own fields are known. */
export type ListModel<M extends Pick<Model, 'fields'> = Pick<Model, 'fields'>> = M & {
  surroundings?: Surroundings | undefined
}

const nothing: Surroundings = { models: [], customTypes: [] }

/** One step of a path: a field, and whether values of it are in the document itself, one at most. */
interface Step {
  field: Field
  isOnly: boolean
}

function stepsFrom({ field, isOnly }: Step, { models, customTypes }: Surroundings): Step[] {
  const type = adminFieldType(field)
  const referred = type.targets?.(field).flatMap((target) => models.find(({ uid }) => uid === target) ?? [])
  if (referred) {
    // Lists are narrowed by what all of these models have.
    const isShared = ({ uid }: Field) => referred.every(({ fields }) => fields.some((one) => one.uid === uid))
    return referred.flatMap(({ fields }) =>
      fields.filter(isShared).map((next) => ({ field: next, isOnly: false })),
    )
  }
  const inner = type.inner?.(field, customTypes)
  if (!inner) return []
  const staysOnly = isOnly && !isMultipleField(field) && !inner.isOneOf
  return inner.fields.map((next) => ({ field: next, isOnly: staysOnly }))
}

function stepsAt({ fields, surroundings = nothing }: ListModel, path: string): Step[] {
  const [first, ...others] = path.split('.')
  let steps: Step[] = fields.filter(({ uid }) => uid === first).map((field) => ({ field, isOnly: true }))
  for (const name of others)
    steps = steps.flatMap((step) => stepsFrom(step, surroundings)).filter(({ field }) => field.uid === name)
  return steps
}

/** What a path leads to (`title`, `sections.data.title`, `author.name`): several fields, where values are of several types. */
export const fieldsAt = (model: ListModel, path: string): Field[] =>
  stepsAt(model, path).map(({ field }) => field)

/** Is there one value of it in a document at most, which is in the document itself? */
export const isOnlyAt = (model: ListModel, path: string): boolean => {
  const steps = stepsAt(model, path)
  return steps.length === 1 && steps.every(({ isOnly }) => isOnly)
}

/** A path that people may choose, by the names of the fields on it; the last is `''` for what a value of several types is. */
export interface NamedPath {
  path: string
  names: string[]
}

/** So far into values, and through one reference; addresses may name longer paths. */
const maximumSteps = 4
const maximumPaths = 500

/** All that lists can be narrowed by beside the model's own fields: what lies inside of values and behind references. */
export function innerPaths(model: ListModel): NamedPath[] {
  const { surroundings = nothing } = model
  const found = new Map<string, NamedPath>()
  const add = (step: Step, around: NamedPath, steps: number, references: number): void => {
    if (steps > maximumSteps || found.size >= maximumPaths) return
    const isReference = adminFieldType(step.field).targets !== undefined
    if (isReference && references > 0) return
    for (const next of stepsFrom(step, surroundings)) {
      const { field } = next
      const path = `${around.path}.${field.uid}`
      const names = [...around.names, field.name]
      const known = found.get(path)
      const isMade = adminFieldType(field).inner !== undefined
      if (!isMade && !known) found.set(path, { path, names })
      // Fields of one path in values of several types may have names of their own.
      else if (!isMade && known && known.names.at(-1) !== names.at(-1))
        found.set(path, {
          path,
          names: [...known.names.slice(0, -1), `${known.names.at(-1)}／${names.at(-1)}`],
        })
      add(
        next,
        { path, names: field.name === '' ? around.names : names },
        steps + 1,
        references + (isReference ? 1 : 0),
      )
    }
  }
  for (const field of model.fields)
    add({ field, isOnly: true }, { path: field.uid, names: [field.name] }, 1, 0)
  return [...found.values()]
}

/** What is in the document itself, once at most, though inside of a value: lists may show and sort it as its own. */
export const onlyPaths = (model: ListModel): (NamedPath & { field: Field })[] =>
  innerPaths(model).flatMap((named) => {
    const [field] = isOnlyAt(model, named.path) ? fieldsAt(model, named.path) : []
    return field ? [{ ...named, field }] : []
  })

/** Does a list ask for something beyond the model's own fields? */
function leadsOn({ filters = [], sort = '', columns = [] }: ViewSettings): boolean {
  const conditions = filters.flatMap((node) => ('group' in node ? node.group : [node]))
  const shown = columns.map(({ id }) => id)
  return [sort.replace(/^-/, ''), ...shown, ...conditions.map(({ field }) => field)].some(
    (path) => path.includes('.') && !path.startsWith('_sys.'),
  )
}

/** The surroundings of a model, read when `isNeeded`; undefined while they are on their way. */
export function useSurroundings({ p, a }: ModelPlace, isNeeded: boolean) {
  const [models, customTypes] = useQueries({
    queries: [
      { ...modelsQuery(p, a), enabled: isNeeded },
      { ...customTypesQuery(p, a), enabled: isNeeded },
    ],
  })
  const isPending = isNeeded && (models.isLoading || customTypes.isLoading)
  const surroundings = useMemo(
    () =>
      models.data && customTypes.data ? { models: models.data, customTypes: customTypes.data } : undefined,
    [models.data, customTypes.data],
  )
  return { surroundings, isPending }
}

/** The model with what the list's settings need of its surroundings; pending until that is known. */
export function useListModel(model: Model, place: ModelPlace, settings: ViewSettings) {
  const isNeeded = leadsOn(settings)
  // What is inside of values can be chosen as a column, for which nothing waits.
  const isOffered = model.fields.some((field) => adminFieldType(field).inner && !isMultipleField(field))
  const { surroundings, isPending } = useSurroundings(place, isNeeded || isOffered)
  const listModel: ListModel<Model> = useMemo(() => ({ ...model, surroundings }), [model, surroundings])
  return { model: listModel, isPending: isNeeded && isPending }
}
