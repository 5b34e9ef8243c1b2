/**
 * Whether the ranges `after` lack one of the ranges `before`; null allows every address. Ranges are compared as texts, so
 * one that is contained in another counts as different.
 */
export const takesAway = (before: readonly string[] | null, after: readonly string[] | null): boolean =>
  after !== null && (before === null || before.some((range) => !after.includes(range)))
