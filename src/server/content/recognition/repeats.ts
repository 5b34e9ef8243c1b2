import { normalizeUnicode } from '#shared/unicode.ts'

/** The maximum number of remembered values; beyond it, repetition counts as unknown. */
const mostRemembered = 200_000

/** Detects repeated values in bounded memory, by 52-bit hashes; collisions are improbable for realistic numbers of values. */
export class Repeats {
  #known: Set<number> | undefined = new Set()

  /** Have all values so far been different? False when unknown. */
  get areNone(): boolean {
    return this.#known !== undefined
  }

  add(value: string): void {
    if (!this.#known) return
    // Normalized like values of unique fields.
    const number = numberOf(normalizeUnicode(value, 'NFC'))
    if (this.#known.has(number) || this.#known.size >= mostRemembered) this.#known = undefined
    else this.#known.add(number)
  }

  /** Merges the state of another instance; `ofOthers`: it has seen different documents. */
  merge(other: Repeats, ofOthers: boolean): void {
    const known = this.#known
    if (!known || !other.#known) {
      this.#known = undefined
      return
    }
    if (!ofOthers) return
    for (const number of other.#known) {
      if (known.has(number) || known.size >= mostRemembered) {
        this.#known = undefined
        return
      }
      known.add(number)
    }
  }
}

/** 52 bits of two multiplicative hashes (FNV-1a and one with another prime). */
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
