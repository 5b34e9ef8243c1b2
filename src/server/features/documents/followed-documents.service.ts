import { sql } from 'kysely'
import { accountOf } from '#server/access/actor.ts'
import { AppError } from '#shared/errors.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { type ImportedDocument, importDocuments, importedVersion } from './documents.import.ts'
import type { DocumentRecord } from './documents.repository.ts'
import { trash } from './documents.service.ts'
import { checkRight, closeModel, lock, type Session, store } from './documents.write.ts'

/* Documents that were written elsewhere follow what was written there since: each with a revision of its own, so that it can be taken back. */

/** What a document is to be now. */
interface FollowingDocument extends ImportedDocument {
  /** `_id`s of the fields that the other side knows: the others keep their values. */
  fields: ReadonlySet<string>
}

/** `edited`: the document is another version than was expected, or gone; nothing was written. */
export type Followed = { version: number } | { edited: true } | { refused: string }

/** What becomes of documents of one model in one transaction. */
export interface Following {
  /** With the version that each is expected to be. */
  changed: readonly { document: FollowingDocument; expected: number | null }[]
  gone: readonly { id: string; expected: number | null }[]
  made: readonly ImportedDocument[]
}

/** Has documents follow, in the order of their `_id`s, so that nobody waits in a circle; each for itself. Answers what became of each. */
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

/** New documents all at once; where one is refused, as for a value that must not repeat, one by one. */
async function importMade(
  session: Session,
  made: readonly ImportedDocument[],
): Promise<Map<string, Followed>> {
  const importAll = (documents: readonly ImportedDocument[]) =>
    attempt(session, async () => {
      await importDocuments(session, documents)
      // What was written up to here is counted.
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

/** Writes the states of `next` over a document that is of version `expected`, and its times. */
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

/** Stores what is published, and behind it what was edited since, as a save here would have. Answers the version that it is then. */
async function write(session: Session, before: DocumentRecord, next: FollowingDocument): Promise<number> {
  const { updatedAt, publishedAt, firstPublishedAt, publishedUpdatedAt, customOrder } = next
  const updatedBy = accountOf(session.ctx.actor)
  const current = over(before.current, next.current, next.fields)
  const isEdited = next.pub !== null && next.pub !== next.current
  // Whoever publishes moves the time: at the same one the same is published.
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

/** The values of fields that the other side knows are its own. */
function over(ours: StoredValues, theirs: StoredValues, fields: ReadonlySet<string>): StoredValues {
  const kept = Object.entries(ours).filter(([id]) => !fields.has(id))
  return { ...Object.fromEntries(kept), ...theirs }
}

/** A refusal concerns one document alone: what it wrote is taken back. */
async function attempt(session: Session, work: () => Promise<Followed>): Promise<Followed> {
  const { db } = session.ctx
  const tally = { ...session.tally }
  await sql`SAVEPOINT item`.execute(db)
  try {
    const followed = await work()
    await sql`RELEASE SAVEPOINT item`.execute(db)
    return followed
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`ROLLBACK TO SAVEPOINT item`.execute(db)
    session.tally = tally
    return { refused: error.issues?.[0]?.code ?? error.code }
  }
}
