/** The checkout. */
export const root: string

/** A hash of everything a build depends on. */
export function sourceHash(): string
