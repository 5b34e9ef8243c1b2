import { sha256 } from '#server/lib/ids.ts'

/** An `_id` that follows from what it stands for: a run that is repeated makes the same. */
export const madeId = (purpose: string, name: string): string =>
  sha256(`${purpose} ${name}`).toString('hex').slice(0, 24)
