/** A plain JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for the 24 hex characters of Newt's ids. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)
}

/** True for what Newt gives for an image or file field. */
export function isAsset(value: unknown): value is { _id: string; src: string; fileName: string } {
  return (
    isRecord(value) &&
    typeof value._id === 'string' &&
    typeof value.src === 'string' &&
    typeof value.fileName === 'string'
  )
}
