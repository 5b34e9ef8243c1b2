/** Returns a new value for the header `Idempotency-Key`. Requests with the same value take effect once. */
export function newIdempotencyKey(): string {
  // Browsers offer `randomUUID` only over https and on localhost.
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
