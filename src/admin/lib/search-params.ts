/**
 * Parses the query string for the router. Values stay strings (`?code=0123` keeps its zero); routes convert numbers in
 * `validateSearch`. If a name is repeated, its last value counts.
 */
export function parseSearch(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query))
}

/** Writes a query string. Objects are written as JSON, all other values as text; `undefined` and `null` are omitted. */
export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null) continue
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  const text = query.toString()
  return text && `?${text}`
}
