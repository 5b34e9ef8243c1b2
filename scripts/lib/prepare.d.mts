/** Root of the checkout. */
export const root: string

/** Returns a hash of the sources. If it changes, the build is repeated. */
export function sourceHash(): string
