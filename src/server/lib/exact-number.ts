/** Up to fifteen digits and a small exponent: always exact as a double. */
const short = /^[+-]?[\d.]{1,15}(?:[eE][+-]?\d{1,2})?$/

/** The maximum number of significant digits in a double's shortest form. */
const mostDigits = 17
/** Maximum length of texts whose significant digits are counted. */
const usualLength = 100
const numeral = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * Returns whether the number in `text` survives a conversion to double and back. True for texts that are not numbers.
 */
export function isExactNumber(text: string): boolean {
  if (short.test(text)) return true
  if (text.length <= usualLength && significantDigits(text) > mostDigits) return !numeral.test(text)
  const kept = String(Number(text))
  if (kept === text) return true
  const written = canonical(text)
  return written === undefined || written === canonical(kept)
}

/** Returns the number of digits from the first to the last non-zero digit. */
function significantDigits(numeral: string): number {
  let seen = 0
  let significant = 0
  for (let at = 0; at < numeral.length; at++) {
    const code = numeral.charCodeAt(at)
    if ((code | 0x20) === 0x65) break
    if (code < 0x30 || (code === 0x30 && seen === 0)) continue
    seen += 1
    if (code !== 0x30) significant = seen
  }
  return significant
}

/**
 * Returns the digits without leading and trailing zeros, and their power of ten. Returns `Infinity` and `-Infinity`
 * unchanged. `undefined` for texts that are not numbers.
 */
function canonical(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = whole + fraction
  if (digits === '') return text === 'Infinity' || text === '-Infinity' ? text : undefined
  let first = 0
  let last = digits.length
  while (first < last && digits[first] === '0') first++
  while (last > first && digits[last - 1] === '0') last--
  if (first === last) return '0'
  const power = Number(exponent) - fraction.length + digits.length - last
  return `${sign === '-' ? '-' : ''}${digits.slice(first, last)}e${power}`
}

const [minus, plus, point, e, E, zero, nine] = Buffer.from('-+.eE09')

/** Returns the index after the number that begins at `start`. */
export function endOfNumber(body: Buffer, start: number): number {
  let at = start + 1
  for (; at < body.length; at++) {
    const byte = body[at] ?? 0
    const belongs =
      (byte >= (zero ?? 0) && byte <= (nine ?? 0)) ||
      byte === point ||
      byte === e ||
      byte === E ||
      byte === plus ||
      byte === minus
    if (!belongs) break
  }
  return at
}
