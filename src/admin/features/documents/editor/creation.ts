import { ApiError, api } from '#admin/lib/api.ts'
import { newIdempotencyKey } from '#admin/lib/idempotency-key.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { ModelPlace } from '../documents.queries.ts'

interface Attempt<Sent> {
  /** The snapshot of the store for this attempt. */
  sent: Sent
  body: Record<string, unknown>
  type: 'SAVE' | 'PUBLISH'
}

/** Errors which prove that neither this request nor an earlier identical one created a document. */
const cameToNothing = new Set<string>(['ValidationFailed', 'RequestFileTooLarge'])

/**
 * Creates one document, without duplicates. An error may leave open whether the document was created. The next call of
 * `send` then repeats the earlier request with its idempotency key. A different request is sent only if the repeated
 * one proves that no document was created.
 */
export class Creation<Sent> {
  private pending: (Attempt<Sent> & { key: string }) | null = null

  /**
   * Returns the document and the snapshot that it was created from: `attempt.sent`, or the snapshot of an earlier
   * attempt. In the second case, the later input needs another save.
   * @throws ApiError
   */
  async send(place: ModelPlace, attempt: Attempt<Sent>): Promise<{ document: Document; sent: Sent }> {
    this.pending ??= { ...attempt, key: newIdempotencyKey() }
    const { key, sent, body, type } = this.pending
    const isSame = JSON.stringify([body, type]) === JSON.stringify([attempt.body, attempt.type])
    try {
      const { document } = await api('POST /api/project/{p}/app/{a}/model/{m}/doc', {
        params: { ...place },
        body: { document: body, type },
        headers: { 'idempotency-key': key },
      })
      this.pending = null
      return { document, sent: isSame ? attempt.sent : sent }
    } catch (error) {
      if (!(error instanceof ApiError && cameToNothing.has(error.code))) throw error
      this.pending = null
      if (isSame) throw error
      return this.send(place, attempt)
    }
  }
}
