import type { MoveDifference, MoveReason } from '#shared/contract/move-plans.ts'
import type { Field, FieldTypeName } from '#shared/fields/index.ts'

/*
 * How imported values, in the form of the delivery API, are recognised as values of a field type and converted.
 * content/recognition queries all types.
 */

/** A number whose text would change in a double, for example because of too many digits, or `12E30`. */
export class LongNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Resolves the assets and documents to which imported values refer in their source. */
export interface Origin {
  /** Returns the asset that a value is or refers to. */
  asset(value: unknown): { id: string; address: string; isImage: boolean; label: string } | undefined
  /**
   * Returns the document that a value is or refers to, with the `uid` of its model. The `uid` is `''` if the value
   * claims to be a document that does not exist.
   */
  document(value: unknown): { id: string; model: string; label: string } | undefined
  /** Replaces URLs of assets in a text with their new URLs. May also replace the model names in links. */
  rewrite?(text: string): string
}

/** The data that a type needs to convert a value. */
export interface Around {
  origin: Origin
  /** The value as text (`fmt=text`), if the source sent it. */
  text: unknown
  /** The target field with its custom types resolved; undefined until a field is chosen. */
  field?: Field | undefined
  /** Converts an inner value for its field; null if it is empty or cannot be stored. Set only together with `field`. */
  inside?: ((field: Field, value: unknown, text: unknown) => unknown) | undefined
}

/** A value in the form that the management API accepts for a field of the type. */
export interface Taken {
  input: unknown
  /** How the stored value will differ from the received one, if this is known without an expensive check. */
  difference?: MoveDifference | undefined
  /** Facts about the value that are counted for the type. */
  notes?: readonly string[]
}

/** Statistics of the values of one key. */
export interface SeenValues {
  readonly name: string
  /** Number of non-empty values. Items of lists count individually. */
  readonly items: number
  /** Number of documents or objects that have a value. */
  readonly filled: number
  readonly isList: boolean
  /** Number of non-empty values that are not lists. */
  readonly singles: number
  /** Returns the number of values for which the type noted this fact. */
  noted(type: string, note: string): number
  /** Returns all facts that a type noted, with counts. */
  notes(type: string): ReadonlyMap<string, number>
  /** Short texts and numbers with their frequency; null if there are more than 200 different ones. */
  readonly distinct: ReadonlyMap<string | number, number> | null
  /** Returns the inner values, by the `kind` that {@link Received.inside} returned. */
  inner(type: string): ReadonlyMap<string, SeenInside>
  /** Checks whether the type can store every value. */
  isKeptBy(type: string): boolean
}

/** The keys of objects, each with its values. */
export interface SeenInside {
  readonly count: number
  /** Number of times that a key was not recorded because of the limits on the number and depth of keys. */
  readonly refused: number
  readonly keys: ReadonlyMap<string, SeenValues>
}

export interface Likeness {
  confidence: number
  why: MoveReason
}

/** The custom types and settings found for the imported values. */
export interface FoundTypes {
  /** Returns the `uid` of the custom type created for these objects; undefined if no custom type was created. */
  uidOf(inside: SeenInside): string | undefined
  /** Returns the most likely {@link Received.settings} of the type; undefined if no settings fit. */
  settingsOf(type: string, seen: SeenValues): Record<string, unknown> | undefined
}

/** Recognises and converts imported values for one type. */
export interface Received {
  /** Converts one non-empty value (not `null`, `''` or a list); null if the type cannot store it. */
  take(value: unknown, around: Around): Taken | null
  /**
   * Returns how a converted value differs from the received one. The check is expensive, so it runs for a sample of
   * values only.
   */
  differs?(value: unknown, taken: Taken): MoveDifference | undefined
  /** Whether received values are HTML. Markup that the policy removes from them (`<font>`) is reported. */
  readonly arrivesAsHtml?: true
  /**
   * Returns how likely these values have this type, given that it accepts each of them. null: one field of this type
   * cannot store all of them.
   */
  likeness(seen: SeenValues): Likeness | null
  /**
   * Returns why one field of this type cannot store all these values, although the type accepts each of them; null if
   * there is nothing to report.
   */
  hindrance?(seen: SeenValues): MoveReason | null
  /**
   * Returns possible settings for these values, most likely first; empty if no settings fit. Omitted by types without
   * settings.
   */
  settings?(seen: SeenValues, found: FoundTypes): Record<string, unknown>[]
  /** Returns the number of single values inside these that become lists of one item. */
  wrapped?(seen: SeenValues): number
  /** Returns the inner values of a value that the type accepts. */
  inside?(
    value: unknown,
    text: unknown,
  ): { kind: string; values: Record<string, unknown>; texts: Record<string, unknown> }
  /**
   * Returns inner objects that need a custom type. `name`: the name of the type in the values; null if they do not name
   * it.
   */
  customTypes?(seen: SeenValues): { name: string | null; inside: SeenInside }[]
  /**
   * Kinds that a source with a schema declares for such values (archive/hints.ts), each with the settings that it
   * implies.
   */
  kinds?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Whether the type accepts every value, converting it to text if necessary. */
  readonly keepsAll?: true
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongNumber)

/** Checks whether a text begins like HTML. */
export const isHtml = (text: string): boolean => /^\s*<[a-z!][^>]*>/i.test(text)

export const reason = (code: string, params: MoveReason['params'] = {}): MoveReason => ({ code, params })

/**
 * Returns the result for a missing file: an id that the source marks as unresolvable. Newt's contents that were too
 * large to be expanded refer to pictures in this way. Nothing is stored, and the recognised type of the field does not
 * change. null: not a missing file.
 */
export const takeLostFile = (value: unknown, { origin }: Pick<Around, 'origin'>): Taken | null =>
  origin.document(value)?.model === '' ? { input: null, difference: 'leftOut', notes: [lost] } : null
const lost = 'lost'

/** Returns the number of values that are known files. */
export const knownFiles = (type: FieldTypeName, seen: SeenValues): number =>
  seen.items - seen.noted(type, lost)

/**
 * Returns a text with its URLs adapted (`rewrite`). Characters that cannot be stored were already replaced while
 * reading.
 */
export const takeText = (text: string, { origin }: Pick<Around, 'origin'>): Taken => ({
  input: origin.rewrite?.(text) ?? text,
})
