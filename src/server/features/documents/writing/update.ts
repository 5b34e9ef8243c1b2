import { isDeepStrictEqual } from 'node:util'
import { accountOf } from '#server/access/actor.ts'
import type { AppContext } from '#server/access/context.ts'
import type { Person } from '#shared/contract/documents.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { fitValues } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { mergeValues } from '#shared/fields/merge.ts'
import { findChangeAuthors, listChanges } from '../store/authors.ts'
import { type DocumentRecord, findNames } from '../store/documents.repository.ts'
import { type Document, presentOne } from '../store/present.ts'
import { findRevision } from '../store/revisions.repository.ts'
import { checkId, readBody, readGiven } from '../values/input.ts'
import { applyValues, type GivenValues } from '../values/merge.ts'
import { note } from './audit.ts'
import { create, type SaveType } from './create.ts'
import { isPublishedAsIs, published } from './publish.ts'
import { checkReadOnly } from './read-only.ts'
import {
  type Candidate,
  checkCandidate,
  checkRight,
  closeModel,
  lock,
  openModel,
  type Session,
  store,
} from './write.ts'

export interface DocumentUpdate {
  doc: Record<string, unknown>
  type?: SaveType
  /** The version that the caller edited; default: the version in `doc`, if any. */
  baseVersion?: number | undefined
}

/**
 * Saves a document, saves and publishes it, or creates a copy, depending on `type`. `merged`: paths that were changed
 * since the base version and merged. `mergedFrom`: the accounts that changed them.
 *
 * Throws 400, 403, 404, 409 `VersionConflict`, 413.
 */
export async function updateDocument(
  ctx: AppContext,
  modelUid: string,
  id: string,
  { doc, type = 'SAVE', baseVersion }: DocumentUpdate,
): Promise<{ document: Document; merged?: string[]; mergedFrom?: (Person | null)[] }> {
  checkId(id)
  const session = await openModel(ctx, modelUid, 'share')
  const { model } = session
  const before = await lock(session, id)
  const body = readBody(doc, 'doc')
  if (body.id !== undefined && body.id !== id) throw invalid('doc._id', 'InvalidValue')
  const read = await readGiven(model, before.current, body.values)
  if (type === 'DUPLICATE') return { document: await create(session, { ...read, type, copyOf: before }) }

  const publish = type === 'PUBLISH'
  checkRight(ctx, 'edit', before)
  if (publish) checkRight(ctx, 'publish', before)
  const base = baseVersion ?? body.baseVersion
  const { values, theirs, authors } =
    base === undefined || base === before.version
      ? { values: read.values, theirs: [], authors: [] }
      : await merge(session, before, base, read.given)
  checkReadOnly(session, before.current, values)
  // Saving unchanged values creates no version and no event.
  const unchanged = isDeepStrictEqual(values, before.current)
  const reached = unchanged && (!publish || isPublishedAsIs(before))
  const document =
    reached && read.issues.length === 0
      ? before
      : await save(session, before, {
          values,
          issues: read.issues,
          publish,
          blind: base === undefined,
        })
  return {
    document: await presentOne(ctx, model, document),
    ...(theirs.length > 0 ? { merged: theirs, mergedFrom: authors } : {}),
  }
}

async function save(
  session: Session,
  before: DocumentRecord,
  candidate: Omit<Candidate, 'before'> & { blind: boolean },
): Promise<DocumentRecord> {
  const { ctx } = session
  const { values, publish, blind } = candidate
  await checkCandidate(session, { ...candidate, before })
  const unchanged = isDeepStrictEqual(values, before.current)
  const saved: DocumentRecord = {
    ...before,
    version: before.version + 1,
    current: values,
    hasDraft: before.pub === null || !isDeepStrictEqual(values, before.pub),
    ...(unchanged ? {} : { updatedAt: session.now, updatedBy: accountOf(ctx.actor) }),
  }
  const document = publish ? published(saved, session.now) : saved
  note(session, publish ? 'document.publish' : 'document.save', before, document, blind)
  await store(session, before, document, { kind: publish ? 'publish' : 'save', blind })
  await closeModel(session)
  return document
}

async function merge(
  { ctx, model }: Session,
  before: DocumentRecord,
  base: number,
  given: GivenValues,
): Promise<{ values: StoredValues; theirs: string[]; authors: (Person | null)[] }> {
  const revision =
    base < before.version ? await findRevision(ctx.db, model.scope, before.id, base) : undefined
  const fitted = revision && fitValues(model.fields, revision.values)
  const merged = fitted && mergeValues(model.fields, fitted, before.current, applyValues(fitted, given))
  if (merged && merged.conflicts.length === 0)
    return {
      values: merged.value,
      theirs: merged.theirs,
      authors: await findChangeAuthors(ctx, model, {
        documentId: before.id,
        since: base,
        paths: merged.theirs,
      }),
    }
  const changes = merged
    ? await listChanges(ctx, model, { documentId: before.id, since: base, paths: merged.conflicts })
    : []
  const last = changes.at(-1) ?? (await findRevision(ctx.db, model.scope, before.id, before.version))
  const by = last?.createdBy ?? null
  const names = await findNames(ctx.db, [by])
  throw new AppError('VersionConflict', {
    details: {
      current: before.version,
      by: by === null ? null : { _id: by, name: names.get(by) ?? '' },
      at: (last?.createdAt ?? before.updatedAt).toISOString(),
      // If the base version is unknown, every sent field counts as a conflict.
      fields:
        merged?.conflicts ?? model.fields.filter((field) => given.has(field._id)).map((field) => field.uid),
    },
  })
}
