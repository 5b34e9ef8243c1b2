/** Root of the checkout. */
export const root: string

/** Returns a hash of the sources. If it changes, the next start repeats the build. */
export function sourceHash(): string
