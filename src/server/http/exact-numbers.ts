/*
 * JSON.parse rounds numbers to what a double can hold and says nothing: 9007199254740993 loses its last digit, 1e-400
 * becomes 0. Here they are found in the text, before it does.
 */

const [minus, plus, point, e, E, zero, nine] = Buffer.from('-+.eE09')

/** So many digits without an exponent always survive. */
const safeDigits = 15

/** Where the number that begins at `start` ends. */
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

/** Is the number at `start` to `end` the same number when it comes out of a double again? True for what is no number. */
export function isExact(body: Buffer, start: number, end: number): boolean {
  const text = body.toString('latin1', start, end)
  if (end - start <= safeDigits && !/e/i.test(text)) return true
  const written = canonical(text)
  return written === undefined || written === canonical(String(Number(text)))
}

/** Digits without zeros around them, and their power of ten; undefined for what is no number. */
function canonical(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (whole === '') return text === 'Infinity' || text === '-Infinity' ? text : undefined
  const digits = whole + fraction
  let first = 0
  let last = digits.length
  while (first < last && digits[first] === '0') first++
  while (last > first && digits[last - 1] === '0') last--
  if (first === last) return '0'
  return `${sign}${digits.slice(first, last)}e${Number(exponent) - fraction.length + digits.length - last}`
}

/** The dotted path of the value at `offset` of a JSON text that is well-formed up to there. */
export function pathAt(body: Buffer, offset: number): string {
  const stack: { key: string | null; index: number | null }[] = []
  const text = body.toString('latin1', 0, offset)
  for (let at = 0; at < text.length; at++) {
    const top = stack.at(-1)
    switch (text[at]) {
      case '{':
        stack.push({ key: null, index: null })
        break
      case '[':
        stack.push({ key: null, index: 0 })
        break
      case '}':
      case ']':
        stack.pop()
        break
      case ',':
        if (top?.index != null) top.index++
        else if (top) top.key = null
        break
      case '"': {
        const start = at
        for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
        if (top && top.index === null) top.key ??= parsedKey(body.subarray(start, at + 1))
        break
      }
    }
  }
  return stack.map(({ key, index }) => index ?? key ?? '').join('.')
}

function parsedKey(bytes: Buffer): string {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return ''
  }
}
