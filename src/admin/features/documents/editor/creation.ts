import { ApiError, api } from '#admin/lib/api.ts'
import { newIdempotencyKey } from '#admin/lib/idempotency-key.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { ModelPlace } from '../documents.queries.ts'

interface Attempt<Sent> {
  /** What the store remembers of the attempt. */
  sent: Sent
  body: Record<string, unknown>
  type: 'SAVE' | 'PUBLISH'
}

/** Refusals of the content itself: nothing was made, now or when the same was asked for before. */
const cameToNothing = new Set<string>(['ValidationFailed', 'RequestFileTooLarge'])

/**
 * Makes one document, however often it is asked to. An answer may be lost after the document was made, so the same
 * request goes out again until the server has said what became of it; only then may another take its place.
 */
export class Creation<Sent> {
  private pending: (Attempt<Sent> & { key: string }) | null = null

  /**
   * Answers the document and what it was made of: `attempt.sent`, or what an earlier attempt had sent, to be followed by a
   * save of what has changed since.
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
