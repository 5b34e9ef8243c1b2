import { z } from 'zod'
import type { Issue } from '../errors.ts'
import {
  type AnyField,
  commonFieldShape,
  type FieldType,
  type InnerPlace,
  parseNothing,
  typeScriptLiteral,
} from './field-type.ts'

export interface AllowedType {
  type: string
  [setting: string]: unknown
}

export interface MultiTypeSettings {
  types: AllowedType[]
}

interface SingleType {
  readonly type: string
  readonly settings: z.ZodRawShape
  readonly customType?: unknown
  readonly canBeMultiple: boolean
}

/** The common settings of an inner field: neither required nor multiple, unless a type declares otherwise. */
const plain = z.object(commonFieldShape).parse({ _id: '0'.repeat(24), uid: 'data', name: '' })

/**
 * Creates the field type `MULTI_TYPE`. Its values are `{_id, type, data}`, where `data` has one of the `singleTypes`.
 */
export function multiTypeOf(singleTypes: readonly SingleType[]) {
  const byCode = new Map(
    singleTypes.map((type) => [type.type, type as unknown as FieldType<object, unknown>]),
  )
  const customTypeOf = ({ type }: AllowedType) => byCode.get(type)?.customType

  const settings = {
    types: z
      .array(
        z.discriminatedUnion(
          'type',
          singleTypes.map(({ type, settings, canBeMultiple }) =>
            z.strictObject({
              type: z.literal(type),
              // With `multiple`, `data` is a list.
              ...(canBeMultiple ? { multiple: z.literal(true).exactOptional() } : {}),
              ...settings,
            }),
          ) as unknown as [z.ZodObject<{ type: z.ZodLiteral<string> }, z.core.$loose>],
        ),
      )
      .max(100)
      .default([]),
  }

  /** Returns the name of a type in sent values: the uid of a custom type, otherwise the type code. */
  const nameOf = (allowed: AllowedType): string => customTypeOf(allowed)?.uid(allowed) ?? allowed.type
  /**
   * Returns the name of a type in stored values, which never changes: the `_id` of a custom type, otherwise the type
   * code.
   */
  const storedNameOf = (allowed: AllowedType): string =>
    customTypeOf(allowed)?.definition(allowed)._id ?? allowed.type

  /** The inner fields are cached, because reading any value needs them. */
  const fields = new WeakMap<AllowedType, AnyField>()
  const fieldOf = (allowed: AllowedType): AnyField => {
    const known = fields.get(allowed)
    if (known) return known
    const field = { ...plain, ...allowed, _id: storedNameOf(allowed) }
    fields.set(allowed, field)
    return field
  }
  const placesOf = (allowed: AllowedType): InnerPlace[] => [
    { key: 'data', name: 'data', field: fieldOf(allowed) },
  ]

  return {
    type: 'MULTI_TYPE' as const,
    settings,
    canBeMultiple: true,
    canBeUnique: false,
    canBeTitle: false,
    comparison: () => 'none',
    searchable: false,
    empty: null,
    parse: parseNothing,
    rules: () => [],
    text: () => '',
    typeScript: ({ types }, names) =>
      types
        .map((allowed) => {
          const type = typeScriptLiteral(nameOf(allowed))
          return `{ _id: string; type: ${type}; data: ${names.value(fieldOf(allowed))} }`
        })
        .join(' | ') || 'never',
    settingsIssues({ types }) {
      const names = types.map(nameOf)
      return names.flatMap((name, index): Issue[] =>
        names.indexOf(name) < index ? [{ path: `types.${index}`, code: 'DuplicatedValue' }] : [],
      )
    },
    nesting: {
      ids: 'always',
      frameKeys: ['type'],
      fields: ({ types }) => types.map(fieldOf),
      kinds: ({ types }) =>
        types.map((allowed) => ({ frame: { type: nameOf(allowed) }, field: fieldOf(allowed) })),
      read({ type }, { types }) {
        if (type == null) return { path: 'type', code: 'Required' }
        const allowed = types.find((candidate) => nameOf(candidate) === type)
        if (!allowed) return { path: 'type', code: 'NonExistentFieldType' }
        return { frame: { type: storedNameOf(allowed) }, places: placesOf(allowed) }
      },
      open({ type }, { types }) {
        const allowed = types.find((candidate) => storedNameOf(candidate) === type)
        return allowed ? { frame: { type: nameOf(allowed) }, places: placesOf(allowed) } : null
      },
      mapDeclared: (settings, map) => ({
        ...settings,
        types: settings.types.flatMap((type, index) => map(type, `types.${index}`) ?? []),
      }),
    },
  } satisfies FieldType<MultiTypeSettings, unknown>
}
