import type { MoveDifference, MoveReason } from '#shared/contract/move-plans.ts'
import type { Field } from '#shared/fields/index.ts'

/*
 * How values that come from elsewhere, in the form in which sites receive them, are recognised as those of a type of field
 * and become its values. Every type says it for itself; content/recognition asks them all.
 */

/** A number with more digits than a double has, as it was written. */
export class LongNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What values name in the place that they come from. */
export interface Origin {
  /** The asset that a value is or names. */
  asset(value: unknown): { id: string; address: string; isImage: boolean; label: string } | undefined
  /** The document that a value is or names, with the uid of its model: `''` when it is said to be one, and is nowhere. */
  document(value: unknown): { id: string; model: string; label: string } | undefined
  /** A text with the addresses of assets as they are from now on. */
  rewrite?(text: string): string
}

/** What stands around a value that a type is asked to take. */
export interface Around {
  origin: Origin
  /** The same value as text (`fmt=text`), where the place it comes from told it. */
  text: unknown
  /** The field that it goes into, its custom types resolved; undefined while it is not known what field that is. */
  field?: Field | undefined
  /** Takes an inner value for its field; undefined: it cannot be kept. Only together with `field`. */
  inside?: ((field: Field, value: unknown, text: unknown) => unknown) | undefined
}

/** A value as a field of the type is given it, as the management API takes values. */
export interface Taken {
  input: unknown
  /** How it will differ from what came, where that is seen at once. */
  difference?: MoveDifference | undefined
  /** Facts about it that the type counts. */
  notes?: readonly string[]
}

/** Values of one key, counted. */
export interface SeenValues {
  /** The key. */
  readonly name: string
  /** Values that are there: those of lists one by one. */
  readonly items: number
  /** Of how many documents or items something is there. */
  readonly filled: number
  readonly isList: boolean
  /** Values on their own. */
  readonly singles: number
  /** How many of them a type noted a fact about. */
  noted(type: string, note: string): number
  /** All facts that a type noted. */
  notes(type: string): ReadonlyMap<string, number>
  /** Short texts and numbers with how often they came; null when they were too many. */
  readonly distinct: ReadonlyMap<string | number, number> | null
  /** What lies inside of the values, by what {@link Received.inside} called it. */
  inner(type: string): ReadonlyMap<string, SeenInside>
  /** Did the type take every value? */
  isKeptBy(type: string): boolean
}

/** Keys of objects, each with its values. */
export interface SeenInside {
  readonly count: number
  /** Keys that were too many, or lay too deep. */
  readonly refused: number
  readonly keys: ReadonlyMap<string, SeenValues>
}

export interface Likeness {
  confidence: number
  why: MoveReason
}

/** What was made of what was seen elsewhere. */
export interface FoundTypes {
  /** uid of the custom type that was made of these; undefined where none can be. */
  uidOf(inside: SeenInside): string | undefined
  /** The likeliest {@link Received.settings} of the type; undefined where there are none. */
  settingsOf(type: string, seen: SeenValues): Record<string, unknown> | undefined
}

/** What a type knows of values that come from elsewhere. */
export interface Received {
  /** Takes one value that is there (no `null`, `''` or list); null when it cannot keep it. */
  take(value: unknown, around: Around): Taken | null
  /** How a value that was taken will differ, where telling that is much work: asked of some. */
  differs?(value: unknown, taken: Taken): MoveDifference | undefined
  /** What of a value will not be delivered, by kind (`<font>`) with how often: asked of all. */
  removed?(value: unknown): ReadonlyMap<string, number>
  /** How likely it is that these values, all of which it takes, are of this type; null: it cannot keep them together. */
  likeness(seen: SeenValues): Likeness | null
  /** Why it cannot keep values together each of which it takes, where people should know. */
  hindrance?(seen: SeenValues): MoveReason | null
  /** The settings with which it keeps them, the likeliest first; none where it cannot. Left out: it has none. */
  settings?(seen: SeenValues, found: FoundTypes): Record<string, unknown>[]
  /** How many single values become lists of one inside of these. */
  wrapped?(seen: SeenValues): number
  /** What lies inside of a value that it takes. */
  inside?(
    value: unknown,
    text: unknown,
  ): { kind: string; values: Record<string, unknown>; texts: Record<string, unknown> }
  /** What of the inside is to be a custom type, by the name that it has already. */
  customTypes?(seen: SeenValues): { name: string | null; inside: SeenInside }[]
  /** What a source with a schema may call such values (archive/hints.ts), each with the settings that it asks for. */
  kinds?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** It keeps whatever there is, if need be in other words. */
  readonly keepsAll?: true
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongNumber)

/** Does a text begin as HTML does? */
export const isHtml = (text: string): boolean => /^\s*<[a-z!][^>]*>/i.test(text)

export const reason = (code: string, params: MoveReason['params'] = {}): MoveReason => ({ code, params })

/** A text as it is received: what cannot be stored was replaced when it was read. */
export const takeText = (text: string, { origin }: Pick<Around, 'origin'>): Taken => ({
  input: origin.rewrite?.(text) ?? text,
})
