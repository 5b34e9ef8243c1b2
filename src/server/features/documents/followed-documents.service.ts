import { accountOf } from '#server/access/actor.ts'
import { inSavepoint } from '#server/db/savepoint.ts'
import { AppError } from '#shared/errors.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { type ImportedDocument, importDocuments, importedVersion } from './bulk/import.ts'
import type { DocumentRecord } from './store/documents.repository.ts'
import { trash } from './trash/trash.ts'
import { checkRight, closeModel, lock, type Session, store } from './writing/write.ts'

/* Updates of imported documents from their source. Each update creates its own revisions, so that it can be undone. */

/** The new state of an imported document, from its source. */
interface FollowingDocument extends ImportedDocument {
  /** `_id`s of the fields that the source has. Other fields keep their values. */
  fields: ReadonlySet<string>
}

/**
 * `version`: the document's version after the update. `edited`: the document has another version than expected, or does
 * not exist; nothing was written. `refused`: the error code; nothing was written.
 */
export type Followed = { version: number } | { edited: true } | { refused: string }

/** The changes to documents of one model in one transaction. */
export interface Following {
  /** Documents with a new state, each with its expected version. null: the result is `edited`. */
  changed: readonly { document: FollowingDocument; expected: number | null }[]
  gone: readonly { id: string; expected: number | null }[]
  made: readonly ImportedDocument[]
}

/**
 * Updates documents in the order of their `_id`s, which avoids deadlocks, and imports new ones. Each one succeeds or
 * fails separately. Returns the result for each.
 */
export async function followDocuments(
  session: Session,
  { changed, gone, made }: Following,
): Promise<Map<string, Followed>> {
  const followed = new Map<string, Followed>()
  const acts = [
    ...changed.map(({ document, expected }) => ({
      id: document.id,
      act: () => followDocument(session, document, expected),
    })),
    ...gone.map(({ id, expected }) => ({ id, act: () => trashExpected(session, id, expected) })),
  ]
  for (const { id, act } of acts.sort((a, b) => (a.id < b.id ? -1 : 1)))
    followed.set(id, await attempt(session, act))
  for (const [id, one] of await importMade(session, made)) followed.set(id, one)
  await closeModel(session)
  return followed
}

/**
 * Imports new documents together. If one is refused, for example because of a duplicate unique value, imports them one
 * by one.
 */
async function importMade(
  session: Session,
  made: readonly ImportedDocument[],
): Promise<Map<string, Followed>> {
  const importAll = (documents: readonly ImportedDocument[]) =>
    attempt(session, async () => {
      await importDocuments(session, documents)
      // `importDocuments` has already updated the counters.
      session.tally = { documents: 0, published: 0, writes: 0 }
      return { version: 1 }
    })
  const together = made.length > 0 ? await importAll(made) : { version: 1 }
  if ('version' in together) return new Map(made.map((one) => [one.id, { version: importedVersion(one) }]))
  const followed = new Map<string, Followed>()
  for (const one of made) {
    const alone = await importAll([one])
    followed.set(one.id, 'version' in alone ? { version: importedVersion(one) } : alone)
  }
  return followed
}

/** Overwrites a document of version `expected` with the states and times of `next`. */
async function followDocument(
  session: Session,
  next: FollowingDocument,
  expected: number | null,
): Promise<Followed> {
  const before = await lockExpected(session, next.id, expected, 'edit')
  if (!before) return { edited: true }
  checkRight(session.ctx, 'publish', before)
  return { version: await write(session, before, next) }
}

async function trashExpected(session: Session, id: string, expected: number | null): Promise<Followed> {
  const before = await lockExpected(session, id, expected, 'delete')
  if (!before) return { edited: true }
  await trash(session, id)
  return { version: before.version + 1 }
}

async function lockExpected(
  session: Session,
  id: string,
  expected: number | null,
  purpose: 'edit' | 'delete',
): Promise<DocumentRecord | null> {
  try {
    const before = await lock(session, id, purpose)
    return before.version === expected ? before : null
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFound') return null
    throw error
  }
}

/** Stores the published state, followed by a later edit, like saves would. Returns the resulting version. */
async function write(session: Session, before: DocumentRecord, next: FollowingDocument): Promise<number> {
  const { updatedAt, publishedAt, firstPublishedAt, publishedUpdatedAt, customOrder } = next
  const updatedBy = accountOf(session.ctx.actor)
  const current = over(before.current, next.current, next.fields)
  const isEdited = next.pub !== null && next.pub !== next.current
  // Each publication changes the time, so an equal time means an equal publication.
  const isRepublished = before.publishedAt?.getTime() !== publishedAt?.getTime()
  const times = { updatedAt, firstPublishedAt, customOrder, updatedBy }
  let state = before
  const step = async (change: Partial<DocumentRecord>, kind: 'publish' | 'save' | 'unpublish') => {
    const after = { ...state, ...times, ...change, version: state.version + 1 }
    if (kind === 'publish') after.publishedVersion = after.version
    await store(session, state, after, { kind })
    state = after
  }
  if (next.pub && (isRepublished || !isEdited)) {
    const pub = isEdited ? over(before.pub ?? before.current, next.pub, next.fields) : current
    await step({ current: pub, hasDraft: false, pub, publishedAt, publishedUpdatedAt }, 'publish')
  }
  if (isEdited) await step({ current, hasDraft: true, publishedUpdatedAt }, 'save')
  if (!next.pub) {
    const withdrawn = { pub: null, publishedVersion: null, publishedAt: null, publishedUpdatedAt: null }
    await step({ current, hasDraft: true, ...withdrawn }, before.pub ? 'unpublish' : 'save')
  }
  return state.version
}

/** Returns `ours` with the values of `fields` replaced by `theirs`. */
export function over(ours: StoredValues, theirs: StoredValues, fields: ReadonlySet<string>): StoredValues {
  const kept = Object.entries(ours).filter(([id]) => !fields.has(id))
  return { ...Object.fromEntries(kept), ...theirs }
}

/** Runs work in a savepoint. If it is refused, its writes are rolled back, and the result is `refused`. */
async function attempt(session: Session, work: () => Promise<Followed>): Promise<Followed> {
  const { db } = session.ctx
  const tally = { ...session.tally }
  const done = await inSavepoint(db, work)
  if ('result' in done) return done.result
  session.tally = tally
  return { refused: done.refusal.issues?.[0]?.code ?? done.refusal.code }
}
