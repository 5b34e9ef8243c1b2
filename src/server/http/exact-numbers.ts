/*
 * JSON.parse rounds numbers to what a double can hold and says nothing: 9007199254740993 loses its last digit, 1e-400
 * becomes 0. Here they are found in the text, before it does.
 */

const [minus, plus, point, e, E, zero, nine] = Buffer.from('-+.eE09')

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
