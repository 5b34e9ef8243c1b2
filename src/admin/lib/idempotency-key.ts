/** A new value for the header `Idempotency-Key`: requests with the same one have one effect together. */
export function newIdempotencyKey(): string {
  // Not randomUUID: browsers have it over https only.
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
