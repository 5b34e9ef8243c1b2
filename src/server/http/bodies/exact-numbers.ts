/*
 * JSON.parse silently rounds numbers to double precision: 9007199254740993 loses its last digit, 1e-400 becomes 0.
 * validation.ts therefore refuses such numbers before it parses the text.
 */

/** Returns the dotted path of the value at `offset` of a JSON text that is well-formed up to that offset. */
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
