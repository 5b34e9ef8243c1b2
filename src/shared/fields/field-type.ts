import { z } from 'zod'
import type { Issue, IssueCode } from '../errors.ts'
import { idPattern } from '../identifiers.ts'
import { nameProblem } from '../unicode.ts'

/** Maps the `_id`s of documents and assets when an app's values are copied to another app. */
export interface OtherNames {
  document(id: string): string
  asset(id: string): string
  /**
   * Returns the replacement for the address of an asset in a text, up to the file name. `undefined` keeps the address.
   */
  assetAddress(id: string): string | undefined
}

/** How queries compare and sort a value. `id` compares whole references only. `none` allows only tests for presence. */
export type Comparison = 'text' | 'number' | 'date' | 'boolean' | 'id' | 'none'

export interface SettingsEnvironment {
  /** Returns whether the server can run this regular expression in linear time. */
  compiles(pattern: string): boolean
  hasModel(uid: string): boolean
  hasCustomType(uid: string): boolean
  /** The field's current uid. `undefined` for a new field. */
  uid?: string | undefined
  /** Whether the field is imported with its uid, which may be a word reserved for the future. */
  carried?: boolean
}

export interface ConversionEnvironment {
  /** Renders Markdown to the HTML that sites receive. */
  renderMarkdown(source: string): string
  /**
   * Returns whether the document belongs to one of these models. Without this function, losses for the reason
   * `modelRemoved` are not reported.
   */
  isIn?(id: string, modelUids: readonly string[]): boolean
}

/**
 * Converts an item to the input format of the new type. Returns `null` if nothing can be kept. `lossy`: whether part of
 * the item is lost, or the reason. `from` and `to` are the settings of the field before and after the change.
 */
export type ItemConversion<Settings extends object> = {
  // Declared as a method for bivariance, so that a table of conversions accepts any settings.
  convert(
    item: unknown,
    around: { from: object; to: Settings; environment?: ConversionEnvironment | undefined },
  ): { item: unknown; lossy?: boolean | 'modelRemoved' } | null
}['convert']

export interface RuleEnvironment {
  /**
   * Returns whether the value matches a user-defined pattern. The caller guarantees linear time (RE2 on the server).
   */
  matches(pattern: string, value: string): boolean
  /** Counts characters like `countCharacters`. */
  countCharacters(text: string): number
}

/**
 * A field type: its settings, the format of a single value, and its rules. Used by both server and admin, without side
 * effects. Empty values (never set, `null`, `''`) are `undefined` here. They are not stored, except as the `emptyItem`
 * of a list.
 */
export interface FieldType<Settings extends object, Value> {
  readonly type: string
  /** The type's own settings as a closed Zod shape, in addition to the common ones. */
  readonly settings: z.ZodRawShape
  readonly canBeMultiple: boolean
  readonly canBeUnique: boolean
  readonly canBeTitle: boolean
  comparison(settings: Settings): Comparison
  /** Whether `match` and full-text search are possible, on {@link FieldType.text}. */
  readonly searchable: boolean
  /**
   * Value that the delivery API returns for a single field that was never set. `undefined`: the key is omitted.
   * Multiple fields return `[]`.
   */
  readonly empty: Value | null | undefined
  /** Reads and normalises an untrusted value, or returns the reason why it is not of this type. Never throws. */
  parse(value: unknown, settings: Settings): Parsed<Value>
  /** Returns the broken rules of one non-empty value. They block publishing, not saving. */
  rules(value: Value, settings: Settings, environment: RuleEnvironment): Omit<Issue, 'path'>[]
  /** Returns the value as plain text for search, `match` and titles. */
  text(value: Value): string

  /** Returns the issues of the settings beyond their shape. Paths are relative to the field. */
  settingsIssues?(settings: Settings, environment: SettingsEnvironment): Issue[]
  /** Values are HTML, which the server may normalise to another notation. */
  readonly isHtml?: true
  /**
   * Returns the kind of time that a value denotes: a day, a point in time that is displayed in a time zone, or neither
   * (`null`).
   */
  moment?(settings: Settings): 'date' | 'datetime' | null
  /**
   * Stored for an empty item of a multiple field, because sites rely on item positions. Types without this property
   * omit empty items.
   */
  readonly emptyItem?: Value
  /** Returns whether `required` treats this value as empty. */
  isEmpty?(value: Value): boolean
  /** Returns whether the rules can only be checked on the server. */
  needsServerCheck?(settings: Settings): boolean
  /** Returns whether stored values remain valid after this change of settings. Default: always. */
  keepsValues?(from: Settings, to: Settings): boolean
  /**
   * Conversions of values of other types to this type, by type code. They take precedence over `into` of the other
   * type. A value without a conversion is lost.
   */
  readonly from?: Readonly<Record<string, ItemConversion<Settings>>>
  /** Conversions of values of this type to other types, by type code. */
  readonly into?: Readonly<Record<string, ItemConversion<object>>>
  /** Values are `_id`s of documents of some models of the same app. */
  readonly reference?: {
    /** Returns the uids of these models, at least one. */
    targets(settings: Settings): string[]
    /** Returns settings that refer to the models with these uids. */
    pointTo(modelUids: readonly string[]): Partial<Settings>
  }
  /** Values are `_id`s of assets of the space. */
  readonly asset?: {
    /** Returns the filter for accepted files, in the syntax of `<input type=file accept>`. `''` accepts all files. */
    accept(settings: Settings): string
  }
  /** Returns the `_id`s of assets that the value uses. May contain duplicates and assets that do not exist. */
  assetIds?(value: Value): string[]
  /** Returns the `_id`s of documents of the app that the value links to. Some may not exist. */
  documentIds?(value: Value): string[]
  /**
   * Returns the value with the `_id`s of documents and assets replaced. Values of types without this function contain
   * no such `_id`s.
   */
  renamed?(value: Value, names: OtherNames): Value
  /** Present if values consist of values of inner fields. `parse` then accepts only empty values. */
  readonly nesting?: Nesting<Settings>
  /**
   * Returns the TypeScript type of one non-empty value as sites receive it. The field's custom types must be resolved.
   */
  typeScript?(settings: Settings, names: TypeScriptNames): string
  /** Present if the inner fields are the fields of a custom type of the app. */
  readonly customType?: {
    uid(settings: Settings): string
    /** Returns settings that refer to the custom type with this uid. */
    pointTo(uid: string): Partial<Settings>
    /** Returns the settings with the custom type resolved, which reading values requires. */
    resolve(settings: Settings, definition: CustomTypeDefinition): Settings
    /** Returns the definition passed to `resolve`. Throws a `TypeError` if `resolve` was not called. */
    definition(settings: Settings): CustomTypeDefinition
  }
}

/** Names of types in generated TypeScript. Requesting a name marks it as used, so that it is defined or imported. */
export interface TypeScriptNames {
  /** Returns the type of the contents of the model with this uid. */
  model(uid: string): string
  /** Returns the same type with a discriminating property, for a reference to one of several models. */
  modelOfSeveral(uid: string): string
  customType(uid: string): string
  /** Returns the name of a type of newt-client-js. */
  client(name: 'Image' | 'File'): string
  /** Returns the type of the whole value of a field, including its empty value. */
  value(field: AnyField): string
}

export interface AnyField {
  _id: string
  uid: string
  type: string
}

/** A custom type with its own fields resolved. */
export interface CustomTypeDefinition {
  _id: string
  uid: string
  fields: AnyField[]
}

/** Position of an inner value in an item: `key` in stored items, `name` in sent items. */
export interface InnerPlace {
  key: string
  name: string
  field: AnyField
}

/** One value of a type with inner fields. */
export type Item = Record<string, unknown>

/** How values consist of values of inner fields (docs/decisions/0025). */
export interface Nesting<Settings extends object> {
  /**
   * Which items have an `_id`. `always`: all items, and the `_id` is sent as the first key. `ofSeveral`: only items of
   * multiple fields, and the `_id` is sent as the last key.
   */
  readonly ids: 'always' | 'ofSeveral'
  /** Returns the inner fields that an item may contain, each at most once. */
  fields(settings: Settings): AnyField[]
  /**
   * Reads the properties of an untrusted item except its inner values. Returns the frame to store and the inner values
   * that the item may have, or an issue.
   */
  read(
    raw: Item,
    settings: Settings,
  ): { frame: Item; places: InnerPlace[] } | { path: string; code: IssueCode }
  /**
   * Reads the properties of a stored item. Returns the frame to send and the inner values of the item. `null`: the item
   * does not belong to this field.
   */
  open(item: Item, settings: Settings): { frame: Item; places: InnerPlace[] } | null
  /** Returns the possible kinds of items, if items declare their kind: the frame of each kind, and its inner field. */
  kinds?(settings: Settings): { frame: Item; field: AnyField }[]
  /** Keys that are stored in addition to `_id` and inner values. */
  readonly frameKeys: readonly string[]
  /**
   * Returns the settings with each declared type replaced by the result of `map`. `null` removes the type. `path` is
   * the path of the declaration.
   */
  mapDeclared?(
    settings: Settings,
    map: <T extends { type: string }>(type: T, path: string) => T | null,
  ): Settings
}

/** Returns a text or number as a TypeScript literal. */
export function typeScriptLiteral(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped}'`
}

export type Parsed<Value> = { ok: true; value: Value | undefined } | { ok: false; code: IssueCode }

export const parsed = <Value>(value: Value | undefined): Parsed<Value> => ({ ok: true, value })
/** Parses values of types whose items are read elsewhere: accepts empty values and refuses all others. */
export const parseNothing = (value: unknown): Parsed<never> =>
  value == null || value === '' ? parsed<never>(undefined) : refused()
export const refused = (code: IssueCode = 'InvalidType'): Parsed<never> => ({ ok: false, code })

/**
 * Returns whether PostgreSQL's jsonb can store the text. NUL and lone surrogates would cause the errors 22P05 and
 * 22P02, so they are refused beforehand.
 */
export function isStorableText(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed()
}

/** Creates the schema of a display text: limited in length, without NUL and lone surrogates. */
export const storableText = (maximum: number) =>
  z.string().max(maximum).refine(isStorableText, { error: 'InvalidValue' })

/** Refuses names with a {@link nameProblem}. For `superRefine`. */
export function checkName(name: string, context: z.RefinementCtx): void {
  const problem = nameProblem(name)
  if (problem) context.addIssue({ code: 'custom', message: problem })
}

/**
 * Creates the schema of a single-line name: limited in length, without control characters and invisible characters.
 * Unless empty, it must contain a visible character.
 */
export const nameText = (maximum: number) => storableText(maximum).superRefine(checkName)

/** Condition for showing a field in the form (docs/decisions/0038). */
const conditionSchema = z.discriminatedUnion('is', [
  z.strictObject({ field: z.string().max(64), is: z.literal('filled') }),
  z.strictObject({ field: z.string().max(64), is: z.literal('empty') }),
  z.strictObject({
    /** uid of another field of the same document or item. */
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

/** Maximum number of fields of a model or custom type. */
export const mostFields = 200

/**
 * The settings that every field has. `_id` is stable, so that changing a uid or a name moves no data.
 */
export const commonFieldShape = {
  _id: z.string().regex(idPattern),
  uid: z.string().max(64),
  name: storableText(100),
  description: storableText(1000).default(''),
  required: z.boolean().default(false),
  multiple: z.boolean().default(false),
  unique: z.boolean().default(false),
  minItems: z.int().min(0).max(10_000).nullish(),
  maxItems: z.int().min(1).max(10_000).nullish(),
  /** Without a condition the field is always shown. */
  condition: conditionSchema.nullish(),
  /** Width in the form; default: full. */
  width: z.enum(['full', 'half']).nullish(),
  tab: storableText(50).nullish(),
} as const

/** Returns the number of code points. */
export function countCodePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}
