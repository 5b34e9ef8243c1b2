/** Maximum number of contents that one response resolves through references. */
export const maximumReferred = 2000
/**
 * Length from which the JSON text of a response is refused. Counted in bytes if the handle returns bytes (7 MB),
 * otherwise in UTF-16 units.
 */
export const maximumAnswer = 7 * 1024 * 1024
