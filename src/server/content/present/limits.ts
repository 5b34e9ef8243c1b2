/** Maximum number of contents that one response resolves through references. */
export const maximumReferred = 2000
/** Number of bytes from which a response is refused (7 MB). */
export const maximumAnswer = 7 * 1024 * 1024
