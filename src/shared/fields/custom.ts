import { z } from 'zod'
import { type CustomTypeDefinition, type FieldType, type InnerPlace, parseNothing } from './field-type.ts'

const settings = {
  customType: z.string().max(64),
}
const settingsSchema = z.object(settings)

/** The key is a symbol, so that the definition is copied with the field but is not serialised. */
const definition = Symbol('definition')
export type CustomSettings = z.infer<typeof settingsSchema> & { [definition]?: CustomTypeDefinition }

function definitionOf(settings: CustomSettings): CustomTypeDefinition {
  const known = settings[definition]
  if (!known) throw new TypeError(`the custom type “${settings.customType}” was not looked up`)
  return known
}

/**
 * Returns the inner fields. Values are stored under the `_id`s of the fields, so that renaming a field changes no data.
 */
const placesOf = (settings: CustomSettings): InnerPlace[] =>
  definitionOf(settings).fields.map((field) => ({ key: field._id, name: field.uid, field }))

export const custom = {
  type: 'CUSTOM' as const,
  settings,
  canBeMultiple: true,
  canBeUnique: false,
  canBeTitle: false,
  comparison: () => 'none',
  searchable: false,
  empty: null,
  typeScript: ({ customType }, names) => names.customType(customType),
  parse: parseNothing,
  rules: () => [],
  text: () => '',
  settingsIssues: ({ customType }, { hasCustomType }) =>
    hasCustomType(customType) ? [] : [{ path: 'customType', code: 'InvalidValue' }],
  keepsValues: (from, to) => definitionOf(from)._id === definitionOf(to)._id,
  customType: {
    uid: ({ customType }) => customType,
    pointTo: (customType) => ({ customType }),
    resolve: (settings, found) => ({ ...settings, [definition]: found }),
    definition: definitionOf,
  },
  nesting: {
    ids: 'ofSeveral',
    frameKeys: [],
    fields: (settings) => definitionOf(settings).fields,
    read: (_raw, settings) => ({ frame: {}, places: placesOf(settings) }),
    open: (_item, settings) => ({ frame: {}, places: placesOf(settings) }),
  },
} satisfies FieldType<CustomSettings, unknown>
