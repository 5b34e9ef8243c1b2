/** The text on one line; several are joined. */
export function TextPreview({ value }: { value: unknown }) {
  return Array.isArray(value) ? value.join('、') : firstWords(value)
}

/** As much of a long text as a cell can show. */
function firstWords(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : ''
}
