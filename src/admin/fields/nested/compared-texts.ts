/** Returns the innermost values of two values as texts, one per line and without `_id`s, for a word diff. */
export function comparedTexts(value: unknown, other: unknown): [string, string] {
  return [linesOf(value).join('\n'), linesOf(other).join('\n')]
}

function linesOf(value: unknown): string[] {
  if (value == null) return []
  if (typeof value !== 'object') return [String(value)]
  return Object.entries(value).flatMap(([name, inner]) => (name === '_id' ? [] : linesOf(inner)))
}
