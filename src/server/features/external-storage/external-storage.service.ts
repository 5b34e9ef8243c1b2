import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { countContents, findMove, startMoving } from '#server/features/assets/moving.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { StorageRefused } from '#server/storage/driver.ts'
import type { Storages } from '#server/storage/index.ts'
import { probe } from '#server/storage/probe.ts'
import type {
  ExternalStorageInput,
  ExternalStorageState,
  StorageProblem,
} from '#shared/contract/external-storage.ts'
import { AppError, invalid } from '#shared/errors.ts'
import type { S3Credentials, S3Location } from '#shared/storage.ts'
import * as rows from './external-storage.repository.ts'

type Context = OwnTransactions<SpaceContext>

/** Short timeouts, because the caller waits for the response and a slower storage is unsuitable. */
const patience = { attempts: 2, answerMs: 8_000, idleMs: 8_000 }

/**
 * Returns the state of the space's storage. `externalStorage`: null if the space has none. `files`: number of the
 * space's file contents, and how many of them are not in the storage for new files. `jobId`: the latest job that moves
 * files.
 */
export function getExternalStorage(ctx: Context): Promise<ExternalStorageState> {
  return ctx.inSpace((inside) => readState(inside, ctx.services.storages))
}

/** Tests a bucket and returns its problem. null: no problem. Throws 400 if keys are missing. */
export async function testExternalStorage(
  ctx: Context,
  input: ExternalStorageInput,
  signal: AbortSignal,
): Promise<StorageProblem | null> {
  const { location, credentials } = await completed(ctx, input)
  try {
    return await probe(ctx.services.storages.external.open(location, credentials, patience), signal)
  } catch (error) {
    // The storage was refused before a request was sent.
    if (error instanceof StorageRefused) return { step: 'write', reason: error.trouble }
    throw error
  }
}

/**
 * Tests a bucket, makes it the storage for new files and starts moving the other files there. If it is the current
 * bucket, only its keys, region and style change. Throws `ExternalStorageTestFailed`, and `ValidationFailed` if keys
 * are missing.
 */
export async function saveExternalStorage(
  ctx: Context,
  input: ExternalStorageInput,
  signal: AbortSignal,
): Promise<ExternalStorageState> {
  const { location, credentials } = await completed(ctx, input)
  const problem = await testExternalStorage(ctx, { ...input, ...credentials }, signal)
  if (problem) throw testFailed(problem)
  const { external } = ctx.services.storages
  const saved = await ctx.inSpace(async (inside) => {
    const { db, scope, actor } = inside
    await rows.lockSpace(db, scope)
    const present = await rows.findPresent(db, scope)
    const same = present && isSameBucket(present, location) ? present : undefined
    const id = same?.id ?? newId()
    const keys = { credentials: external.seal(id, credentials), keyLast4: credentials.accessKeyId.slice(-4) }
    if (same) {
      await rows.updateExternalStorage(db, scope, id, {
        region: location.region,
        style: location.style,
        ...keys,
      })
    } else {
      if (present) await rows.leaveExternalStorage(db, scope, present.id)
      await rows.insertExternalStorage(db, scope, { id, ...location, ...keys, createdBy: accountOf(actor) })
      await startMoving(inside)
    }
    const accessKeyLast4 = keys.keyLast4
    noteAudit(inside, {
      objectId: id,
      objectName: location.bucket,
      before: present ? presented(present) : {},
      after: { ...location, accessKeyLast4 },
    })
    await record(inside, 'externalStorage.saved', location)
    return { id, state: await readState(inside, ctx.services.storages) }
  })
  external.forget(saved.id)
  return saved.state
}

/**
 * Makes Imori's own storage the storage for new files again, and starts moving the other files back. Has no effect if
 * the space has no external storage.
 */
export function leaveExternalStorage(ctx: Context): Promise<ExternalStorageState> {
  return ctx.inSpace(async (inside) => {
    const { db, scope } = inside
    await rows.lockSpace(db, scope)
    const present = await rows.findPresent(db, scope)
    if (!present) return readState(inside, ctx.services.storages)
    await rows.leaveExternalStorage(db, scope, present.id)
    await startMoving(inside)
    noteAudit(inside, { objectId: present.id, objectName: present.bucket, before: presented(present) })
    await record(inside, 'externalStorage.left', present)
    return readState(inside, ctx.services.storages)
  })
}

/** Starts moving files that are outside the storage for new files. */
export function moveFiles(ctx: Context): Promise<ExternalStorageState> {
  return ctx.inSpace(async (inside) => {
    await startMoving(inside)
    noteAudit(inside, {})
    return readState(inside, ctx.services.storages)
  })
}

async function readState({ db, scope }: SpaceContext, storages: Storages): Promise<ExternalStorageState> {
  const present = await rows.findPresent(db, scope)
  return {
    externalStorage: present ? presented(present) : null,
    files: await countContents(db, scope, present?.id ?? storages.defaultName),
    jobId: await findMove(db, scope),
  }
}

const presented = ({ keyLast4, createdAt, updatedAt, ...row }: rows.ExternalStorageRow) => ({
  ...row,
  accessKeyLast4: keyLast4,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const isSameBucket = (one: S3Location, other: S3Location) =>
  one.endpoint === other.endpoint && one.bucket === other.bucket && one.prefix === other.prefix

/**
 * Completes the input with the stored keys if it has none. Stored keys are only sent to the same endpoint. Throws
 * `ValidationFailed` if keys are missing.
 */
async function completed(
  ctx: Context,
  { accessKeyId, secretAccessKey, ...location }: ExternalStorageInput,
): Promise<{ location: S3Location; credentials: S3Credentials }> {
  if (accessKeyId && secretAccessKey) return { location, credentials: { accessKeyId, secretAccessKey } }
  const present = await ctx.inSpace(({ db, scope }) => rows.findPresent(db, scope))
  if (!accessKeyId && !secretAccessKey && present?.endpoint === location.endpoint) {
    const credentials = ctx.services.storages.external.unseal(present.id, present.credentials)
    if (credentials) return { location, credentials }
  }
  throw invalid(accessKeyId ? 'data.secretAccessKey' : 'data.accessKeyId', 'Required')
}

const culprits: Partial<Record<StorageProblem['reason'], keyof ExternalStorageInput>> = {
  unreachable: 'endpoint',
  notAllowedAddress: 'endpoint',
  insecure: 'endpoint',
  slow: 'endpoint',
  notS3: 'endpoint',
  noSuchBucket: 'bucket',
  accessDenied: 'bucket',
  publicWrite: 'bucket',
  unknownKey: 'accessKeyId',
  wrongSecret: 'secretAccessKey',
  wrongRegion: 'region',
}

function testFailed(problem: StorageProblem): AppError {
  const culprit = culprits[problem.reason]
  return new AppError('ExternalStorageTestFailed', {
    details: { problem },
    ...(culprit ? { issues: [{ path: `data.${culprit}`, code: 'InvalidValue' }] } : {}),
  })
}

function record(
  { db, scope, actor }: SpaceContext,
  type: 'externalStorage.saved' | 'externalStorage.left',
  { endpoint, bucket }: S3Location,
): Promise<void> {
  return recordEvent(db, scope, type, { endpoint, bucket }, { actor })
}
