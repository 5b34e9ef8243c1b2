import type { PortableRevision } from '#archive/app-format.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { ImportedRevision } from '#server/features/documents/documents.service.ts'
import { findMemberByEmail } from '#server/features/members/members.service.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { shownName } from '#shared/unicode.ts'
import type { PortableSource } from './portable-apps.source.ts'

/**
 * Maximum size of one document's revisions in memory, in characters of JSON. The oldest revisions beyond it are not
 * imported.
 */
const mostBytes = 32 * 1024 * 1024

/** Reads the revisions of documents in parallel to the documents, in the same order. */
export class PastReader {
  readonly #lines: AsyncIterator<PortableRevision> | undefined
  #next: PortableRevision | undefined

  constructor(source: PortableSource, model: string, after: string | null) {
    this.#lines = source.revisions?.(model, after)[Symbol.asyncIterator]()
  }

  /**
   * Returns the revisions of a document, oldest first. `leftOut`: number of skipped revisions. null: the source has no
   * revisions.
   */
  async of(
    documentId: string,
  ): Promise<{ revisions: PortableRevision[]; bytes: number; leftOut: number } | null> {
    if (!this.#lines) return null
    const revisions: PortableRevision[] = []
    const sizes: number[] = []
    let bytes = 0
    let leftOut = 0
    for (; ; this.#next = undefined) {
      this.#next ??= (await this.#lines.next()).value as PortableRevision | undefined
      if (!this.#next || this.#next._id > documentId) break
      if (this.#next._id < documentId) continue
      const size = this.#next.values === null ? 0 : JSON.stringify(this.#next.values).length
      revisions.push(this.#next)
      sizes.push(size)
      bytes += size
      // Revisions without values of their own, such as the published one, are kept.
      const oldest = bytes > mostBytes ? sizes.findIndex((one) => one > 0) : -1
      if (oldest < 0) continue
      revisions.splice(oldest, 1)
      bytes -= sizes.splice(oldest, 1)[0] ?? 0
      leftOut += 1
    }
    return { revisions, bytes, leftOut }
  }

  async close(): Promise<void> {
    await this.#lines?.return?.()
  }
}

/** Returns a function that finds the member of the space for an author, by email address. */
export function authorFinder(
  db: Db,
  scope: SpaceScope,
): (by: PortableRevision['createdBy']) => Promise<Pick<ImportedRevision['by'], 'createdBy' | 'author'>> {
  const known = new Map<string, string | null>()
  return async (by) => {
    if (by === null) return { createdBy: null, author: null }
    let id = known.get(by.email)
    if (id === undefined) {
      id = (by.email === '' ? null : await findMemberByEmail(db, scope, by.email))?.accountId ?? null
      known.set(by.email, id)
    }
    const { name, email } = by
    return { createdBy: id, author: id === null ? { name: shownName(name, '') || email, email } : null }
  }
}

/**
 * Returns the revisions of a document for the import. null: they do not match the document, which then gets the
 * revisions that its state requires.
 */
export async function toRevisions(
  revisions: readonly PortableRevision[],
  { current, pub }: { current: StoredValues; pub: StoredValues | null },
  read: (values: Record<string, unknown>) => Promise<StoredValues>,
  findAuthor: ReturnType<typeof authorFinder>,
): Promise<ImportedRevision[] | null> {
  const isWhole =
    revisions.at(-1)?.is.includes('current') === true &&
    revisions.some(({ is }) => is.includes('published')) === (pub !== null)
  if (!isWhole) return null
  const made: ImportedRevision[] = []
  for (const { kind, source, blind, createdAt, createdBy, is, values } of revisions) {
    const isPublished = is.includes('published')
    made.push({
      kind,
      values: values !== null ? await read(values) : is.includes('current') || !pub ? current : pub,
      at: new Date(createdAt),
      by: { source, blind, ...(await findAuthor(createdBy)) },
      isPublished,
    })
  }
  return made
}
