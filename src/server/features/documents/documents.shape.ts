import { type Converting, isBehind, statesInNewestShape } from '#server/content/conversion.ts'
import type { DocumentRecord } from './documents.repository.ts'

/** A document as the repository found it, its values in the shape that the model's fields have now. */
export async function documentInNewestShape(
  model: Converting,
  document: DocumentRecord,
): Promise<DocumentRecord> {
  const { shape, current, hasDraft, pub } = document
  if (!isBehind(model, shape)) return document
  const states = await statesInNewestShape(model, { shape, draft: hasDraft ? current : null, pub })
  return {
    ...document,
    current: states.draft ?? states.pub ?? {},
    pub: states.pub,
    hasDraft: states.draft !== null,
  }
}
