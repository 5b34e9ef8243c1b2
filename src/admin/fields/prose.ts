/** Returns two values as texts for a word diff. Several texts are joined by line breaks. */
export function joinedText(value: unknown, other: unknown): [string, string] {
  return [lines(value), lines(other)]
}

const lines = (value: unknown) => [value ?? ''].flat().join('\n')
