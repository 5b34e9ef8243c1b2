import type { MoveDifference, MoveReason } from '#shared/contract/move-plans.ts'
import type { Field, FieldTypeName } from '#shared/fields/index.ts'

/*
 * How imported values, in the form the delivery API returns them, are recognised as values of a field type and converted.
 * Each type implements this for itself; content/recognition queries all types.
 */

/** A number whose text would change in a double, such as one with too many digits or `12E30`, as its original text. */
export class LongNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Resolves what imported values refer to in their source. */
export interface Origin {
  /** The asset that a value is or refers to. */
  asset(value: unknown): { id: string; address: string; isImage: boolean; label: string } | undefined
  /**
   * The document that a value is or refers to, with the `uid` of its model; `''` when the value claims to be a
   * document that does not exist.
   */
  document(value: unknown): { id: string; model: string; label: string } | undefined
  /** Replaces the addresses of assets in a text by their new addresses. */
  rewrite?(text: string): string
}

/** The context of a value that a type is asked to take. */
export interface Around {
  origin: Origin
  /** The same value as text (`fmt=text`), if the source sent it. */
  text: unknown
  /** The target field with its custom types resolved; undefined while it is not known yet. */
  field?: Field | undefined
  /** Converts an inner value for its field; undefined if it cannot be stored. Set only together with `field`. */
  inside?: ((field: Field, value: unknown, text: unknown) => unknown) | undefined
}

/** A value in the form that the management API accepts for a field of the type. */
export interface Taken {
  input: unknown
  /** How the stored value will differ from the received one, if known immediately. */
  difference?: MoveDifference | undefined
  /** Facts about the value that the type counts. */
  notes?: readonly string[]
}

/** The values of one key, counted. */
export interface SeenValues {
  /** The key. */
  readonly name: string
  /** Number of non-empty values; items of lists count individually. */
  readonly items: number
  /** Number of documents or items that have a value. */
  readonly filled: number
  readonly isList: boolean
  /** Number of values that are not lists. */
  readonly singles: number
  /** The number of values with this fact, as noted by the type. */
  noted(type: string, note: string): number
  /** All facts that a type noted, with counts. */
  notes(type: string): ReadonlyMap<string, number>
  /** Short texts and numbers with their frequency; null when there are too many different ones. */
  readonly distinct: ReadonlyMap<string | number, number> | null
  /** The inner values, by the `kind` that {@link Received.inside} returned. */
  inner(type: string): ReadonlyMap<string, SeenInside>
  /** Can the type take every value? */
  isKeptBy(type: string): boolean
}

/** Keys of objects, each with its values. */
export interface SeenInside {
  readonly count: number
  /** Number of keys refused because there were too many or they were nested too deeply. */
  readonly refused: number
  readonly keys: ReadonlyMap<string, SeenValues>
}

export interface Likeness {
  confidence: number
  why: MoveReason
}

/** The custom types and settings found for the imported values. */
export interface FoundTypes {
  /** `uid` of the custom type created for these objects; undefined when there is none. */
  uidOf(inside: SeenInside): string | undefined
  /** The most likely {@link Received.settings} of the type; undefined when there are none. */
  settingsOf(type: string, seen: SeenValues): Record<string, unknown> | undefined
}

/** How a type handles imported values. */
export interface Received {
  /** Converts one non-empty value (not `null`, `''` or a list); null when the type cannot store it. */
  take(value: unknown, around: Around): Taken | null
  /** How a converted value will differ, where the check is expensive; called for a sample only. */
  differs?(value: unknown, taken: Taken): MoveDifference | undefined
  /** Received values are HTML; markup that the policy removes from them (`<font>`) is reported. */
  readonly arrivesAsHtml?: true
  /** How likely these values are of this type, given that it takes each of them; null: it cannot store them together. */
  likeness(seen: SeenValues): Likeness | null
  /** Why the type cannot store these values together although it takes each of them; null when there is nothing to report. */
  hindrance?(seen: SeenValues): MoveReason | null
  /** Possible settings for these values, most likely first; empty when no settings fit. Omitted by types without settings. */
  settings?(seen: SeenValues, found: FoundTypes): Record<string, unknown>[]
  /** Number of single values inside these that become lists of one item. */
  wrapped?(seen: SeenValues): number
  /** The inner values of a value that the type takes. */
  inside?(
    value: unknown,
    text: unknown,
  ): { kind: string; values: Record<string, unknown>; texts: Record<string, unknown> }
  /** Inner objects that need a custom type, with the name they already have, if any. */
  customTypes?(seen: SeenValues): { name: string | null; inside: SeenInside }[]
  /** Names that a source with a schema uses for such values (archive/hints.ts), each with the settings that it implies. */
  kinds?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Takes every value, converting it to text if necessary. */
  readonly keepsAll?: true
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongNumber)

/** Does a text begin like HTML? */
export const isHtml = (text: string): boolean => /^\s*<[a-z!][^>]*>/i.test(text)

export const reason = (code: string, params: MoveReason['params'] = {}): MoveReason => ({ code, params })

/**
 * A missing file: an id that the source marks as unresolvable. Newt's contents that were too large to be expanded refer to
 * pictures this way. Nothing is stored, and the value does not change the type of the field.
 */
export const takeLostFile = (value: unknown, { origin }: Pick<Around, 'origin'>): Taken | null =>
  origin.document(value)?.model === '' ? { input: null, difference: 'leftOut', notes: [lost] } : null
const lost = 'lost'

/** Number of values that are known files. */
export const knownFiles = (type: FieldTypeName, seen: SeenValues): number =>
  seen.items - seen.noted(type, lost)

/** A text as received; characters that cannot be stored were already replaced while reading. */
export const takeText = (text: string, { origin }: Pick<Around, 'origin'>): Taken => ({
  input: origin.rewrite?.(text) ?? text,
})
