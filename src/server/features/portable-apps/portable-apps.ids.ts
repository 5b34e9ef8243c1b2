import { sha256 } from '#server/lib/ids.ts'

/** Returns an `_id` derived from its purpose and name, so that a repeated run creates the same `_id`. */
export const madeId = (purpose: string, name: string): string =>
  sha256(`${purpose} ${name}`).toString('hex').slice(0, 24)
