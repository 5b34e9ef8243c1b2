/**
 * Parses the query string for the router. Every value stays a string as written (`?code=0123` keeps its zero); routes
 * convert numbers in `validateSearch`. Of a repeated name the last value counts.
 */
export function parseSearch(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query))
}

/** Writes a query string: strings and numbers as they are, everything else as JSON; `undefined` and `null` are omitted. */
export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null) continue
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  const text = query.toString()
  return text && `?${text}`
}
