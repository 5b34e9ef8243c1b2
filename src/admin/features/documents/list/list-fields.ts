import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { adminFieldType, isMultipleField } from '#admin/fields/index.ts'
import { customTypesQuery, modelsQuery } from '#admin/lib/queries.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { Field } from '#shared/fields/index.ts'
import type { ModelPlace } from '../documents.queries.ts'

/** The models and custom types that a path may pass through. */
export interface Surroundings {
  models: readonly Pick<Model, 'uid' | 'fields'>[]
  customTypes: readonly CustomType[]
}

/** A model for lists. Without `surroundings`, only its own fields are known. */
export type ListModel<M extends Pick<Model, 'fields'> = Pick<Model, 'fields'>> = M & {
  surroundings?: Surroundings | undefined
}

const nothing: Surroundings = { models: [], customTypes: [] }

/** One step of a path: a field. `isOnly`: whether a document itself contains at most one value of it. */
interface Step {
  field: Field
  isOnly: boolean
}

function stepsFrom({ field, isOnly }: Step, { models, customTypes }: Surroundings): Step[] {
  const type = adminFieldType(field)
  const referred = type.targets?.(field).flatMap((target) => models.find(({ uid }) => uid === target) ?? [])
  if (referred) {
    // Lists can be filtered only by fields that all of these models have.
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

/**
 * Returns the fields at a path (`title`, `sections.data.title`, `author.name`). A path can have several fields if
 * values can have several types.
 */
export const fieldsAt = (model: ListModel, path: string): Field[] =>
  stepsAt(model, path).map(({ field }) => field)

/** Returns whether a document itself contains at most one value at the path. */
export const isOnlyAt = (model: ListModel, path: string): boolean => {
  const steps = stepsAt(model, path)
  return steps.length === 1 && steps.every(({ isOnly }) => isOnly)
}

/**
 * A selectable path with the names of its fields. The last name is `''` if the path leads to the value inside of a
 * field that has several types.
 */
export interface NamedPath {
  path: string
  names: string[]
}

/**
 * Maximum number of steps after the first field of an offered path. At most one step leads through a reference. URLs
 * may contain longer paths.
 */
const maximumSteps = 4
const maximumPaths = 500

/** Returns the paths to fields inside of values and of referenced documents, within the limits above. */
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
      // With values of several types, fields at the same path may have different names. Their names are joined.
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

/** Returns the inner paths that have at most one value in the document itself. Lists can show and sort by them. */
export const onlyPaths = (model: ListModel): (NamedPath & { field: Field })[] =>
  innerPaths(model).flatMap((named) => {
    const [field] = isOnlyAt(model, named.path) ? fieldsAt(model, named.path) : []
    return field ? [{ ...named, field }] : []
  })

/** Returns whether a list's settings use paths beyond the model's own fields. */
function leadsOn({ filters = [], sort = '', columns = [] }: ViewSettings): boolean {
  const conditions = filters.flatMap((node) => ('group' in node ? node.group : [node]))
  const shown = columns.map(({ id }) => id)
  return [sort.replace(/^-/, ''), ...shown, ...conditions.map(({ field }) => field)].some(
    (path) => path.includes('.') && !path.startsWith('_sys.'),
  )
}

/** Loads the models and custom types of the app if `isNeeded`. `surroundings` is undefined until they are loaded. */
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

/** Returns the model with the surroundings that the list's settings need. `isPending`: these are still being loaded. */
export function useListModel(model: Model, place: ModelPlace, settings: ViewSettings) {
  const isNeeded = leadsOn(settings)
  // Inner fields can be offered as columns. The list does not wait for that.
  const isOffered = model.fields.some((field) => adminFieldType(field).inner && !isMultipleField(field))
  const { surroundings, isPending } = useSurroundings(place, isNeeded || isOffered)
  const listModel: ListModel<Model> = useMemo(() => ({ ...model, surroundings }), [model, surroundings])
  return { model: listModel, isPending: isNeeded && isPending }
}
