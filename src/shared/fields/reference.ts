import { z } from 'zod'
import type { Issue } from '../errors.ts'
import { idPattern } from '../identifiers.ts'
import { type FieldType, parsed, refused } from './field-type.ts'

/** Maximum number of models that a field may refer to. */
export const maximumTargets = 20

const settings = {
  /**
   * The uid of the model that the field refers to, in the same app. If there are several models, the form offers this
   * model first.
   */
  modelUid: z.string().max(64),
  otherModelUids: z
    .array(z.string().max(64))
    .max(maximumTargets - 1)
    .nullish(),
}
const settingsSchema = z.object(settings)
export type ReferenceSettings = z.infer<typeof settingsSchema>

/**
 * Returns the placeholder for a model that the reader of the settings may not see: not a valid uid, and stable per
 * model.
 */
export const hiddenModelName = (publicId: string): string => `?${publicId}`
export const isHiddenModelName = (uid: string): boolean => uid.startsWith('?')

const targets = ({ modelUid, otherModelUids }: ReferenceSettings) => [modelUid, ...(otherModelUids ?? [])]

/** The `_id` of another document, resolved when it is read. */
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
  // Adding a model is a change too, because the set of referenced documents (content/derived.ts) depends on the models.
  keepsValues(from, to) {
    const [before, now] = [targets(from), targets(to)]
    return before.length === now.length && before.every((uid) => now.includes(uid))
  },
  from: {
    // An `_id` does not identify its model. References to removed models are kept and are read as missing. They are
    // lost only if the field refers to none of its previous models.
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
