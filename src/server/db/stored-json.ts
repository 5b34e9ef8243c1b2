/** Escapes that `JSON.stringify` writes: those of NUL and of lone surrogates, which jsonb refuses, and all others. */
const escapes = /\\(?:(u0000)|(ud[89a-f][\da-f]{2})|.)/g

/**
 * A value as JSON for a column of type jsonb, which takes neither NUL nor lone surrogates (22P05, 22P02): the first is left
 * out, the others are U+FFFD. For everything that names or quotes what strangers wrote; what people send us is refused earlier.
 */
export function storedJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!json.includes('\\u')) return json
  return json.replace(escapes, (whole, nul, surrogate) => (nul ? '' : surrogate ? '\ufffd' : whole))
}
