/**
 * Splits a JSON object printed by PostgreSQL from jsonb (`{"key": value, "key": value}`) into members whose values stay
 * JSON text. Parsing and serializing them would be wasted work, because most values are delivered unchanged. Keys are
 * copied without unescaping: they are field `_id`s, which contain no escapes.
 *
 * Throws `SyntaxError` for some malformed texts.
 */
export function splitObject(json: string): Map<string, string> {
  const members = new Map<string, string>()
  if (json.charCodeAt(1) === closeBrace) return members
  let position = 1
  for (;;) {
    const keyEnd = json.indexOf('"', position + 1)
    const start = keyEnd + 3 // skips `": `
    const end = valueEnd(json, start)
    members.set(json.slice(position + 1, keyEnd), json.slice(start, end))
    if (json.charCodeAt(end) !== comma) {
      if (end !== json.length - 1) throw new SyntaxError('not a JSON object as PostgreSQL prints it')
      return members
    }
    position = end + 2
  }
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Returns the index after the value that begins at `start`. */
function valueEnd(json: string, start: number): number {
  const first = json.charCodeAt(start)
  if (first === quote) return stringEnd(json, start)
  if (first === openBracket || first === openBrace) {
    let depth = 0
    for (let position = start; position < json.length; position++) {
      const code = json.charCodeAt(position)
      if (code === quote) position = stringEnd(json, position) - 1
      else if (code === openBracket || code === openBrace) depth++
      else if ((code === closeBracket || code === closeBrace) && --depth === 0) return position + 1
    }
    throw new SyntaxError('JSON without an end')
  }
  let position = start
  for (; position < json.length; position++) {
    const code = json.charCodeAt(position)
    if (code === comma || code === closeBrace) break
  }
  return position
}

function stringEnd(json: string, start: number): number {
  for (let position = start; ; ) {
    position = json.indexOf('"', position + 1)
    if (position < 0) throw new SyntaxError('JSON without an end')
    let slashes = 0
    while (json.charCodeAt(position - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return position + 1
  }
}
