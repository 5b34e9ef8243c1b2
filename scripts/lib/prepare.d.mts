/** Root of the checkout. */
export const root: string

/** Returns a hash of all files that affect the build. */
export function sourceHash(): string
