/** A plain JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for the 24 hex characters of Newt's ids. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)
}

/** True for an expanded content: an item of Newt's list responses, or a resolved reference. */
export function isContent(value: unknown): value is Record<string, unknown> & { _id: string } {
  return isRecord(value) && typeof value._id === 'string' && isRecord(value._sys)
}

/** True for an image or file value of Newt; some of its keys may be missing. */
export function isAsset(value: unknown): value is Record<string, unknown> & { _id: string; src: string } {
  return (
    isRecord(value) &&
    typeof value._id === 'string' &&
    typeof value.src === 'string' &&
    // A content may have fields of these names.
    !('_sys' in value) &&
    ['fileName', 'fileType', 'fileSize', 'metadata', 'width'].some((key) => key in value)
  )
}
