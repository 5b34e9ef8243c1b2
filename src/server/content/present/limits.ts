/** The maximum number of contents that one response resolves through references. */
export const maximumReferred = 2000
/** Answers of this many bytes or more are refused (7 MB). */
export const maximumAnswer = 7 * 1024 * 1024
