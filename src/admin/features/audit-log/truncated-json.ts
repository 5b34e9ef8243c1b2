/**
 * Reads an object that the audit log has stored as shortened JSON, which ends with `…`. Returns its stored properties.
 * undefined: the text is no shortened object.
 */
export function readTruncatedJson(text: string): unknown {
  if (!/^\{.*…$/s.test(text)) return undefined
  const start = text.slice(0, -1)
  // A part such as half of a name or of a number cannot be read, so the text is cut before it.
  for (let end = start.length; end > 0; end = start.lastIndexOf(',', end - 1)) {
    try {
      return JSON.parse(closed(start.slice(0, end)))
    } catch {
      // Continues with a shorter text.
    }
  }
  return undefined
}

/** Closes the string, the objects and the lists that are open at the end of a JSON text. */
function closed(text: string): string {
  const closers: string[] = []
  let isText = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (isText && character === '\\') index++
    else if (character === '"') isText = !isText
    else if (isText) continue
    else if (character === '{') closers.push('}')
    else if (character === '[') closers.push(']')
    else if (character === '}' || character === ']') closers.pop()
  }
  return `${text}${isText ? '…"' : ''}${closers.reverse().join('')}`
}
