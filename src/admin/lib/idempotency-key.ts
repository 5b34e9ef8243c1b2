/** A new value for the header `Idempotency-Key`: repeated requests with the same value take effect once. */
export function newIdempotencyKey(): string {
  // `randomUUID` is not used because browsers offer it over https only.
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
