import { z } from 'zod'
import type { Issue } from '../errors.ts'
import { idPattern } from '../identifiers.ts'
import { type FieldType, parsed, refused } from './field-type.ts'

/** A field refers to no more models than this. */
export const maximumTargets = 20

const settings = {
  /** The uid of the model referred to, in the same app; of several the one that is offered first. */
  modelUid: z.string().max(64),
  /** Further models that are referred to as well. */
  otherModelUids: z
    .array(z.string().max(64))
    .max(maximumTargets - 1)
    .nullish(),
}
const settingsSchema = z.object(settings)
export type ReferenceSettings = z.infer<typeof settingsSchema>

/** What stands for a model that the reader of the setting may not see: no uid, and the same for each such model. */
export const hiddenModelName = (publicId: string): string => `?${publicId}`
export const isHiddenModelName = (uid: string): boolean => uid.startsWith('?')

const targets = ({ modelUid, otherModelUids }: ReferenceSettings) => [modelUid, ...(otherModelUids ?? [])]

/** The `_id` of another document. What it resolves to is decided when it is read (decisions §4). */
export const reference = {
  type: 'REFERENCE' as const,
  settings,
  canBeMultiple: true,
  canBeUnique: false,
  canBeTitle: false,
  comparison: () => 'id',
  searchable: false,
  empty: null,
  typeScript(field, names) {
    const uids = targets(field)
    const [only] = uids
    if (uids.some(isHiddenModelName)) return 'unknown'
    if (uids.length === 1 && only !== undefined) return names.model(only)
    return uids.map((uid) => names.modelOfSeveral(uid)).join(' | ')
  },
  parse(value) {
    if (value == null || value === '') return parsed<string>(undefined)
    return typeof value === 'string' && idPattern.test(value) ? parsed(value) : refused('InvalidValue')
  },
  rules: () => [],
  text: () => '',
  renamed: (id, names) => names.document(id),
  settingsIssues(field, { hasModel }) {
    const uids = targets(field)
    return uids.flatMap((uid, index): Issue[] => {
      const path = index === 0 ? 'modelUid' : `otherModelUids.${index - 1}`
      if (!hasModel(uid)) return [{ path, code: 'InvalidValue' }]
      return uids.indexOf(uid) < index ? [{ path, code: 'DuplicatedValue' }] : []
    })
  },
  // One more model is a change, too: what documents are referred to (content/derived.ts) follows from the models.
  keepsValues(from, to) {
    const [before, now] = [targets(from), targets(to)]
    return before.length === now.length && before.every((uid) => now.includes(uid))
  },
  from: {
    // An `_id` does not say of which model it is. Those of models that are referred to no more stay, and are read as
    // missing; only where no model stays there is nothing to keep.
    REFERENCE(item, { from, to, environment }) {
      const now = targets(to)
      const before = targets(from as ReferenceSettings)
      if (!before.some((uid) => now.includes(uid))) return null
      const removed = before.filter((uid) => !now.includes(uid))
      return { item, lossy: environment?.isIn?.(String(item), removed) === true && 'modelRemoved' }
    },
  },
  reference: {
    targets,
    pointTo: ([modelUid = '', ...others]) => ({
      modelUid,
      otherModelUids: others.length > 0 ? others : undefined,
    }),
  },
} satisfies FieldType<ReferenceSettings, string>
