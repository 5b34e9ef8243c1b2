/** Escape sequences of `JSON.stringify`. The groups match NUL and lone surrogates, which jsonb rejects. */
const escapes = /\\(?:(u0000)|(ud[89a-f][\da-f]{2})|.)/g

/**
 * Returns JSON for a jsonb column, which rejects NUL and lone surrogates (22P05, 22P02). NUL is removed, surrogates
 * become U+FFFD. Use it for data that quotes text of unknown origin; text in requests is validated earlier.
 */
export function storedJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!json.includes('\\u')) return json
  return json.replace(escapes, (whole, nul, surrogate) => (nul ? '' : surrogate ? '\ufffd' : whole))
}
