/** Everything in two values that can be read, a line for each: what is compared word by word. */
export function comparedTexts(value: unknown, other: unknown): [string, string] {
  return [linesOf(value).join('\n'), linesOf(other).join('\n')]
}

function linesOf(value: unknown): string[] {
  if (value == null) return []
  if (typeof value !== 'object') return [String(value)]
  return Object.entries(value).flatMap(([name, inner]) => (name === '_id' ? [] : linesOf(inner)))
}
