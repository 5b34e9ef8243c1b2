import { normalizeUnicode } from '#shared/unicode.ts'

/** Maximum number of remembered values of one field. Above it, repetition counts as unknown. */
const mostRemembered = 200_000

/** A limit of remembered values that several fields share. `left`: number of values that may still be added. */
export interface RepeatsBudget {
  left: number
}

/** Returns a budget for the fields that are in memory together. Each remembered value takes about 40 bytes. */
export const repeatsBudget = (): RepeatsBudget => ({ left: 2_000_000 })

/**
 * Detects repeated values in bounded memory, by 52-bit hashes. Collisions are improbable for realistic numbers of
 * values.
 */
export class Repeats {
  #known: Set<number> | undefined = new Set()
  readonly #budget: RepeatsBudget

  constructor(budget: RepeatsBudget) {
    this.#budget = budget
  }

  /** Whether all values so far were different; false if unknown. */
  get areNone(): boolean {
    return this.#known !== undefined
  }

  add(value: string): void {
    // Values are normalized like values of unique fields.
    if (this.#known) this.#remember(this.#known, numberOf(normalizeUnicode(value, 'NFC')))
  }

  #remember(known: Set<number>, number: number): void {
    if (known.has(number) || known.size >= mostRemembered || this.#budget.left <= 0) {
      this.#forget()
      return
    }
    known.add(number)
    this.#budget.left--
  }

  #forget(): void {
    this.#budget.left += this.#known?.size ?? 0
    this.#known = undefined
  }

  /**
   * Merges the state of another instance. `ofOthers`: true if it read other documents; false if it read other versions
   * of the same documents, whose values may be equal and are not added.
   */
  merge(other: Repeats, ofOthers: boolean): void {
    if (!other.#known) this.#forget()
    else if (ofOthers)
      for (const number of other.#known) {
        if (!this.#known) return
        this.#remember(this.#known, number)
      }
  }
}

/** Returns 52 bits from two multiplicative hashes (FNV-1a, and one with another prime). */
function numberOf(value: string): number {
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x85ebca6b)
    b ^= b >>> 13
  }
  return (a >>> 0) * 0x100000 + ((b >>> 0) & 0xfffff)
}
