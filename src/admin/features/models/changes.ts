import { inputOf, type ModelDraft } from './draft.ts'

/**
 * One difference between two states of a model. `name`: the display name of the changed field, or the new name of the
 * model.
 */
export type ModelChange =
  | { kind: 'added' | 'removed' | 'changed'; name: string }
  | { kind: 'moved' | 'description' | 'titleField' }
  | { kind: 'name'; name: string }
  | { kind: 'uid'; uid: string }

/** Returns the changes from `from` to `to`. Saved fields are matched by `_id`. */
export function modelChanges(from: ModelDraft, to: ModelDraft): ModelChange[] {
  const changes: ModelChange[] = []
  if (from.name !== to.name) changes.push({ kind: 'name', name: to.name })
  if (from.uid !== to.uid) changes.push({ kind: 'uid', uid: to.uid })
  if (from.description !== to.description) changes.push({ kind: 'description' })

  const [before, after] = [fieldsById(from), fieldsById(to)]
  for (const [id, field] of after) {
    const old = before.get(id)
    if (!old) changes.push({ kind: 'added', name: field.name })
    else if (old.text !== field.text) changes.push({ kind: 'changed', name: field.name })
  }
  for (const [id, field] of before) if (!after.has(id)) changes.push({ kind: 'removed', name: field.name })

  const kept = (ids: Iterable<string>, others: ReadonlyMap<string, unknown>) =>
    [...ids].filter((id) => others.has(id)).join()
  if (kept(before.keys(), after) !== kept(after.keys(), before)) changes.push({ kind: 'moved' })
  if (titleId(from) !== titleId(to)) changes.push({ kind: 'titleField' })
  return changes
}

/**
 * Returns the keys of the saved fields whose settings differ between `base` and `draft`. New fields are not included.
 */
export function changedKeys(base: ModelDraft, draft: ModelDraft): Set<string> {
  const before = fieldsById(base)
  const after = fieldsById(draft)
  return new Set(
    draft.fields.flatMap((field) => {
      const id = field._id ?? field.key
      const old = before.get(id)
      return old && old.text !== after.get(id)?.text ? [field.key] : []
    }),
  )
}

function fieldsById(draft: ModelDraft): Map<string, { name: string; text: string }> {
  const inputs = inputOf(draft).fields
  return new Map(
    draft.fields.map((field, index) => [
      field._id ?? field.key,
      { name: field.name, text: JSON.stringify(inputs[index]) },
    ]),
  )
}

function titleId(draft: ModelDraft): string | undefined {
  return draft.fields.find((field) => field.key === draft.titleField)?._id
}
