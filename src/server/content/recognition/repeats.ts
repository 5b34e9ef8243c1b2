import { normalizeUnicode } from '#shared/unicode.ts'

/** So many values are remembered; of more it is not known whether they repeat. */
const mostRemembered = 200_000

/** Sees whether values repeat, in bounded memory: by numbers made of them, which differ for all that is likely to come. */
export class Repeats {
  #known: Set<number> | undefined = new Set()

  /** Are all values so far different ones? False when that is not known. */
  get areNone(): boolean {
    return this.#known !== undefined
  }

  add(value: string): void {
    if (!this.#known) return
    // As values of unique fields are compared.
    const number = numberOf(normalizeUnicode(value, 'NFC'))
    if (this.#known.has(number) || this.#known.size >= mostRemembered) this.#known = undefined
    else this.#known.add(number)
  }

  /** Adds what another one has seen; `ofOthers`: other documents than these. */
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
