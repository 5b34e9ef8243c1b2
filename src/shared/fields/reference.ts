import { z } from 'zod'
import { idPattern } from '../identifiers.ts'
import { type FieldType, parsed, refused } from './field-type.ts'

const settings = {
  /** The uid of the model referred to, in the same app. */
  modelUid: z.string().max(64),
}
const settingsSchema = z.object(settings)
export type ReferenceSettings = z.infer<typeof settingsSchema>

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
  typeScript: ({ modelUid }, names) => names.model(modelUid),
  parse(value) {
    if (value == null || value === '') return parsed<string>(undefined)
    return typeof value === 'string' && idPattern.test(value) ? parsed(value) : refused('InvalidValue')
  },
  rules: () => [],
  text: () => '',
  settingsIssues: ({ modelUid }, { hasModel }) =>
    hasModel(modelUid) ? [] : [{ path: 'modelUid', code: 'InvalidValue' }],
  keepsValues: (from, to) => from.modelUid === to.modelUid,
  reference: { target: ({ modelUid }) => modelUid, pointTo: (modelUid) => ({ modelUid }) },
} satisfies FieldType<ReferenceSettings, string>
