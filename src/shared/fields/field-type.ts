import { z } from 'zod'
import type { Issue, IssueCode } from '../errors.ts'
import { idPattern } from '../identifiers.ts'
import { invisible } from '../unicode.ts'

/** What the documents and assets of an app are called where its values go. */
export interface OtherNames {
  document(id: string): string
  asset(id: string): string
  /** What an asset's address in a text begins with, up to the name of its file; undefined: as it did. */
  assetAddress(id: string): string | undefined
}

/** How a value is compared and sorted by queries. `id` compares whole references only; `none` is there or is not. */
export type Comparison = 'text' | 'number' | 'date' | 'boolean' | 'id' | 'none'

/** What the check of a field's settings needs from its surroundings. */
export interface SettingsEnvironment {
  /** Is this a regular expression that the server can run in linear time? */
  compiles(pattern: string): boolean
  /** Has the app a model of that uid? */
  hasModel(uid: string): boolean
  /** Has the app a custom type of that uid? */
  hasCustomType(uid: string): boolean
  /** The uid the field has already; undefined for a new one. */
  uid?: string | undefined
  /** Does it come from elsewhere with its uid? */
  carried?: boolean
}

/** What conversions need from their surroundings. */
export interface ConversionEnvironment {
  /** Markdown as the HTML that sites receive. */
  renderMarkdown(source: string): string
  /** Is the document of this `_id` one of these models? Only who tells of losses knows; else nobody is told of any. */
  isIn?(id: string, modelUids: readonly string[]): boolean
}

/**
 * An item as its new type is to read it; `lossy` when something of it is gone already. null: nothing of it can be kept.
 * `from` and `to` are the settings of the field before and after.
 */
export type ItemConversion<Settings extends object> = {
  // Written as a method, so that a table of conversions may be kept as one of any settings, like the other parts.
  convert(
    item: unknown,
    around: { from: object; to: Settings; environment?: ConversionEnvironment | undefined },
  ): { item: unknown; lossy?: boolean | 'modelRemoved' } | null
}['convert']

/** What the rules of a value need from their surroundings. */
export interface RuleEnvironment {
  /** Does the value match the person's own pattern? Linear time is the caller's promise (RE2 on the server). */
  matches(pattern: string, value: string): boolean
}

/**
 * One type of field, whole: its settings, what a single value is, its rules. Pure, used by the server and the admin.
 * A value that is empty (never set, `null`, `''`) is never stored and is `undefined` here.
 */
export interface FieldType<Settings extends object, Value> {
  readonly type: string
  /** Settings beside the common ones, as a closed Zod shape. */
  readonly settings: z.ZodRawShape
  readonly canBeMultiple: boolean
  readonly canBeUnique: boolean
  /** May this field be the title of its model? */
  readonly canBeTitle: boolean
  comparison(settings: Settings): Comparison
  /** Are `match` and full-text search possible, on {@link FieldType.text}? */
  readonly searchable: boolean
  /** What a single field that was never set is on the delivery API, undefined for no key at all; a multiple one is `[]`. */
  readonly empty: Value | null | undefined
  /** Reads one value from outside: normalises it, or says why it is not of this type. Never throws. */
  parse(value: unknown, settings: Settings): Parsed<Value>
  /** The rules of one non-empty value. Broken rules block publishing, not saving (decisions §4). */
  rules(value: Value, settings: Settings, environment: RuleEnvironment): Omit<Issue, 'path'>[]
  /** The value as plain text for search, `match` and titles. */
  text(value: Value): string

  // What only some types have.

  /** What is wrong with settings beyond their shape. Paths are relative to the field. */
  settingsIssues?(settings: Settings, environment: SettingsEnvironment): Issue[]
  /** Values are HTML, which the server may spell otherwise than it was sent. */
  readonly isHtml?: true
  /** Which moment a value names: a day, or a point in time that clocks of several places read differently; null: neither. */
  moment?(settings: Settings): 'date' | 'datetime' | null
  /** What stands for an empty item of a multiple field, where sites count places. Without it empty items are left out. */
  readonly emptyItem?: Value
  /** Does a required field take this value for none? */
  isEmpty?(value: Value): boolean
  /** Do the rules need what only the server has? */
  needsServerCheck?(settings: Settings): boolean
  /** Are stored values still right after this change of settings? Without it they always are. */
  keepsValues?(from: Settings, to: Settings): boolean
  /** How values of other types, by their code, become values of this one. Those of any other type are lost. */
  readonly from?: Readonly<Record<string, ItemConversion<Settings>>>
  /** How values of this type become values of others that do not know it, by their code. */
  readonly into?: Readonly<Record<string, ItemConversion<object>>>
  /** Values are `_id`s of documents of some models of the same app. */
  readonly reference?: {
    /** uids of these models, at least one. */
    targets(settings: Settings): string[]
    /** Settings that point to the models of these uids. */
    pointTo(modelUids: readonly string[]): Partial<Settings>
  }
  /** Values are `_id`s of assets of the space. */
  readonly asset?: {
    /** Which files fit, as of an `<input type=file>`; `''` for all. */
    accept(settings: Settings): string
  }
  /** `_id`s of assets of the media library that the value uses, perhaps more than once, and perhaps of none that is there. */
  assetIds?(value: Value): string[]
  /** `_id`s of documents of the app that the value links to, and perhaps of some that are not there. */
  documentIds?(value: Value): string[]
  /** The value with other names for the documents and assets that it names. Without it, it names none. */
  renamed?(value: Value, names: OtherNames): Value
  /** Values are made of values of inner fields. {@link FieldType.parse} then reads no more than nothing. */
  readonly nesting?: Nesting<Settings>
  /** The type of one value that is there, as sites receive it. The field's custom types are resolved. */
  typeScript?(settings: Settings, names: TypeScriptNames): string
  /** The inner fields are those of a custom type of the app. */
  readonly customType?: {
    uid(settings: Settings): string
    /** Settings that point to the custom type of this uid. */
    pointTo(uid: string): Partial<Settings>
    /** The settings with the custom type that they name: only then can values be read. */
    resolve(settings: Settings, definition: CustomTypeDefinition): Settings
    /** What `resolve` was given. Throws when it was not called. */
    definition(settings: Settings): CustomTypeDefinition
  }
}

/** What is called what in TypeScript. Who asks for a name uses it: it is defined or imported then. */
export interface TypeScriptNames {
  /** The contents of the model of this uid. */
  model(uid: string): string
  /** The same where they may be of several models, of which each says its own. */
  modelOfSeveral(uid: string): string
  customType(uid: string): string
  /** A type of newt-client-js. */
  client(name: 'Image' | 'File'): string
  /** The whole value of a field, nothing included. */
  value(field: AnyField): string
}

/** A field as far as its type does not matter. */
export interface AnyField {
  _id: string
  uid: string
  type: string
}

/** A custom type as fields see it, its own fields resolved. */
export interface CustomTypeDefinition {
  _id: string
  uid: string
  fields: AnyField[]
}

/** Where an inner value stands in an item: under `key` where it is stored, under `name` where it is sent. */
export interface InnerPlace {
  key: string
  name: string
  field: AnyField
}

/** One value of a type with inner fields. */
export type Item = Record<string, unknown>

/** How values are made of values of inner fields (docs/decisions/0025). */
export interface Nesting<Settings extends object> {
  /** Which items have an `_id`: all, where it is sent first, or those of a field with several, where it is sent last. */
  readonly ids: 'always' | 'ofSeveral'
  /** Inner fields that an item may hold, each once. */
  fields(settings: Settings): AnyField[]
  /** Reads what an item from outside says of itself: what is stored of that, and the inner values that belong to it. */
  read(
    raw: Item,
    settings: Settings,
  ): { frame: Item; places: InnerPlace[] } | { path: string; code: IssueCode }
  /** The same of a stored item: what is sent of it, and its inner values; null for what is no item of this field. */
  open(item: Item, settings: Settings): { frame: Item; places: InnerPlace[] } | null
  /** What an item may be, where it says so itself: what it says, and the inner field that follows from that. */
  kinds?(settings: Settings): { frame: Item; field: AnyField }[]
  /** Keys of what is stored beside `_id` and inner values. */
  readonly frameKeys: readonly string[]
  /** The settings with other types in place of those that they declare themselves, null for none; `path` is that of each. */
  mapDeclared?(
    settings: Settings,
    map: <T extends { type: string }>(type: T, path: string) => T | null,
  ): Settings
}

/** A text or number as TypeScript writes it. */
export function typeScriptLiteral(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped}'`
}

export type Parsed<Value> = { ok: true; value: Value | undefined } | { ok: false; code: IssueCode }

export const parsed = <Value>(value: Value | undefined): Parsed<Value> => ({ ok: true, value })
/** For types whose values are read elsewhere: nothing is nothing, all else is refused. */
export const parseNothing = (value: unknown): Parsed<never> =>
  value == null || value === '' ? parsed<never>(undefined) : refused()
export const refused = (code: IssueCode = 'InvalidType'): Parsed<never> => ({ ok: false, code })

/** NUL and lone surrogates cannot be stored by PostgreSQL's jsonb (22P05, 22P02): refuse them before it does. */
export function isStorableText(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed()
}

/** A text for people: bounded, without NUL and lone surrogates. */
export const storableText = (maximum: number) =>
  z.string().max(maximum).refine(isStorableText, { error: 'InvalidValue' })

/** A name, which stands in one line and looks like no other: bounded, without control characters and marks of direction. */
export const nameText = (maximum: number) =>
  storableText(maximum).refine((name) => !invisible.test(name), { error: 'InvalidCharacter' })

/** When a field is shown in the form (docs/decisions/0038). */
const conditionSchema = z.discriminatedUnion('is', [
  z.strictObject({ field: z.string().max(64), is: z.literal('filled') }),
  z.strictObject({ field: z.string().max(64), is: z.literal('empty') }),
  z.strictObject({
    /** uid of another field beside it. */
    field: z.string().max(64),
    is: z.literal('oneOf'),
    values: z
      .array(
        z.union([
          storableText(1000),
          z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER),
          z.boolean(),
        ]),
      )
      .max(100),
  }),
])
export type Condition = z.infer<typeof conditionSchema>

/** The parts every field has (decisions §3). `_id` is stable: renaming a uid or a name moves no data. */
export const commonFieldShape = {
  _id: z.string().regex(idPattern),
  uid: z.string().max(64),
  name: storableText(100),
  description: storableText(1000).default(''),
  required: z.boolean().default(false),
  multiple: z.boolean().default(false),
  unique: z.boolean().default(false),
  /** Bounds on the number of items of a multiple field. */
  minItems: z.int().min(0).max(10_000).nullish(),
  maxItems: z.int().min(1).max(10_000).nullish(),
  /** Without one it is always shown. */
  condition: conditionSchema.nullish(),
  /** How much of the form's width it takes: all of it unless said. */
  width: z.enum(['full', 'half']).nullish(),
  /** Name of the tab of the form that it stands on. */
  tab: storableText(50).nullish(),
} as const

/** Code points, not UTF-16 units: what limits of ours are told in. What people count is in characters.ts. */
export function countCodePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}
