/** Returns true for a plain JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns true for the 24 hex characters of a Newt id. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)
}

/** Returns true for an expanded content: an item of Newt's list responses, or a resolved reference. */
export function isContent(value: unknown): value is Record<string, unknown> & { _id: string } {
  return isRecord(value) && typeof value._id === 'string' && isRecord(value._sys)
}

/** Returns true for an image or file value of Newt. Some of its keys may be missing. */
export function isAsset(value: unknown): value is Record<string, unknown> & { _id: string; src: string } {
  return (
    isRecord(value) &&
    typeof value._id === 'string' &&
    typeof value.src === 'string' &&
    // A content may have fields with the names of these keys, but it also has `_sys`.
    !('_sys' in value) &&
    ['fileName', 'fileType', 'fileSize', 'metadata', 'width'].some((key) => key in value)
  )
}
