import type { Field } from './index.ts'
import { typeOf } from './index.ts'
import { deliveredType } from './type-script.ts'
import { joinPath } from './walk.ts'

/**
 * A change in the values that sites receive for a model. `field` is the path of the field by its previous uids, or
 * `null` for the model. `before` and `after` are uids or TypeScript types. `after` is `null` if the field is no longer
 * delivered.
 */
export interface SiteChange {
  kind: 'modelUid' | 'uid' | 'removed' | 'type'
  field: string | null
  before: string
  after: string | null
}

/**
 * Returns the changes in the values that sites receive after a change of resolved fields, in the order of the previous
 * fields.
 */
export function siteChanges(from: readonly Field[], to: readonly Field[], path = ''): SiteChange[] {
  const after = new Map(to.map((field) => [field._id, field]))
  return from.flatMap((field): SiteChange[] => {
    const own = joinPath(path, field.uid)
    const now = after.get(field._id)
    if (!now) return [{ kind: 'removed', field: own, before: deliveredType(field), after: null }]
    const renamed: SiteChange[] =
      now.uid === field.uid ? [] : [{ kind: 'uid', field: own, before: field.uid, after: now.uid }]
    const [typeBefore, typeAfter] = [deliveredType(field), deliveredType(now)]
    if (typeBefore !== typeAfter)
      return [...renamed, { kind: 'type', field: own, before: typeBefore, after: typeAfter }]
    return [...renamed, ...siteChanges(innerFields(field), innerFields(now), own)]
  })
}

const innerFields = (field: Field) => (typeOf(field).nesting?.fields(field) ?? []) as Field[]
