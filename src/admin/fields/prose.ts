/** A text, or several on lines of their own, beside another of the same kind: what is compared word by word. */
export function joinedText(value: unknown, other: unknown): [string, string] {
  return [lines(value), lines(other)]
}

const lines = (value: unknown) => [value ?? ''].flat().join('\n')
