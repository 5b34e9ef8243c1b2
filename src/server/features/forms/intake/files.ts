import { sourceOf } from '#server/access/attempts.ts'
import type { PublicContext, SpaceContext } from '#server/access/context.ts'
import { enter } from '#server/access/enter.ts'
import { requireQuota } from '#server/access/entitlements.ts'
import type { Db } from '#server/db/scope.ts'
import {
  type Incoming,
  type InspectedFile,
  inspectFile,
  receiveFile,
  safeFileName,
  storeFile,
  type UploadContext,
} from '#server/features/assets/submitted-files.service.ts'
import { createGate } from '#server/lib/gate.ts'
import { newId } from '#server/lib/ids.ts'
import type { SentContent, SentForm } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { formLimits, isReservedName } from '#shared/forms/fields.ts'
import type { SubmittedFile } from '#shared/forms/rules.ts'
import { insertAndMail } from './insert.ts'
import {
  type IntakeForm,
  insertFiles,
  lockFilesOf,
  type NewFile,
  type NewSubmission,
  sumFilesOfDay,
} from './intake.repository.ts'
import { visitorCaller } from './visitor-caller.ts'

/** A file of a submission in a temporary folder. */
export interface ReceivedFile {
  file: Incoming
  /** Name of the field. */
  name: string
  fileName: string
  /** As declared by the client. */
  type: string
}

/** Maximum number of forms with large files that are received at a time: in all, and from one address. */
const receptions = { all: 40, address: 4 }

const busy = () =>
  new AppError('TooManyRequests', {
    message: 'Too many files are being sent at the moment',
    headers: { 'retry-after': '10' },
  })
const gate = createGate({ active: receptions.all, waiting: 0, refusal: busy })
const receivingFrom = new Map<string, number>()

/** Runs the reception of a form with large files. Throws 429 if the limits for slow senders are reached. */
async function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
  const before = receivingFrom.get(address) ?? 0
  if (before >= receptions.address) throw busy()
  receivingFrom.set(address, before + 1)
  try {
    return await gate.run({ line: 0 }, work)
  } finally {
    const left = (receivingFrom.get(address) ?? 1) - 1
    if (left > 0) receivingFrom.set(address, left)
    else receivingFrom.delete(address)
  }
}

/**
 * Receives a form completely. Its files are then on this server's disk, and are removed after `work`. Throws the errors
 * of the form and of `work`, 413, 429 and 507.
 */
export async function withReceived<T>(
  ctx: PublicContext,
  form: IntakeForm,
  sent: SentForm,
  signal: AbortSignal,
  work: (values: SentContent['values'], files: ReceivedFile[]) => Promise<T>,
): Promise<T> {
  const arrived: { file: Incoming; type: string }[] = []
  const receive = async () => {
    const reception = { services: ctx.services, spaceId: form.scope.spaceId, signal }
    for await (const { type, bytes } of sent.files)
      arrived.push({ type, file: await receiveFile(reception, bytes) })
    return sent.read()
  }
  if (sent.isLarge) await requireRoom(ctx.db, form, 0, 1)
  try {
    const { values, files: names } = sent.isLarge
      ? await inTurn(sourceOf(ctx.origin.ip), receive)
      : await receive()
    const files = arrived.map((one, index) => ({ ...one, name: '', fileName: '', ...names[index] }))
    return await work(
      values,
      files.filter(({ name }) => !isReservedName(name)),
    )
  } finally {
    for (const { file } of arrived) await file.remove()
  }
}

/**
 * Inspects the files of a submission, calls `check` with their detected types, and then writes them to the storage of
 * the space, if the form and the space have room for them. Throws the errors of images/images.ts with the name of the
 * field, and the errors of `check`, of storages and of {@link requireSpaceFor}.
 */
export async function keepFiles(
  ctx: PublicContext,
  form: IntakeForm,
  files: ReceivedFile[],
  signal: AbortSignal,
  check: (detected: SubmittedFile[]) => Promise<void>,
): Promise<NewFile[]> {
  const { db, services, origin } = ctx
  const caller = visitorCaller(form.name, origin)
  const within: UploadContext = {
    services,
    // Visitors share a line of the queue, so that they do not delay the uploads of members.
    spaceId: null,
    signal,
    actor: caller.actor,
    origin,
    inSpace: (work) => enter({ db, services }, caller, { scope: form.scope }, null, work),
  }
  const inspected: (InspectedFile & { received: ReceivedFile })[] = []
  try {
    for (const received of files) {
      const found = await inspectFile(within, received.file, received.type).catch((error: unknown) => {
        throw withName(error, received.name)
      })
      inspected.push({ ...found, received })
    }
    await check(
      inspected.map(({ properties: { mediaType }, received: { name, fileName } }) => ({
        name,
        fileName,
        type: mediaType,
      })),
    )
    const bytes = inspected.reduce((sum, { file }) => sum + file.size, 0)
    // Otherwise refused files would fill the storage until the next clean-up.
    await within.inSpace((inside) => requireSpaceFor(inside, form, bytes, inspected.length))
    const kept: NewFile[] = []
    for (const one of inspected) {
      const { storage, storageKey, size, hash, mediaType } = await storeFile(within, one)
      const { name, fileName } = one.received
      const facts = {
        field: name,
        fileName: safeFileName(fileName),
        mediaType,
        size,
        hash,
        storage,
        storageKey,
      }
      kept.push({ id: newId(), ...facts })
    }
    return kept
  } finally {
    for (const { remove } of inspected) await remove()
  }
}

/** Adds the name of the field to the refusal of a file. */
function withName(error: unknown, path: string): unknown {
  if (!(error instanceof AppError) || error.status >= 500) return error
  const { code, message, cause, issues, details, headers } = error
  return new AppError(code, {
    message,
    cause,
    issues: issues ?? [{ path, code: 'InvalidValue' }],
    ...(details ? { details } : {}),
    ...(headers ? { headers } : {}),
  })
}

/**
 * Stores a submission with its files. Throws 404 if the form was deleted or switched off in the meantime,
 * `StorageQuotaExceeded`, and 429 if the form has received too many files in the last 24 hours.
 */
export async function storeWithFiles(
  { db, services, origin }: PublicContext,
  form: IntakeForm,
  submission: NewSubmission,
  files: NewFile[],
): Promise<void> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  await enter(
    { db, services },
    visitorCaller(form.name, origin),
    { scope: form.scope },
    null,
    async (ctx) => {
      await lockFilesOf(ctx.db, ctx.scope, form.id)
      await requireSpaceFor(ctx, form, bytes, files.length)
      const stored = await insertAndMail(ctx, [submission], files.length)
      if (!stored.has(submission.id)) throw new AppError('NotFound')
      await insertFiles(ctx.db, ctx.scope, submission, files)
    },
  )
}

/** For `.catch()`: removes the limit and the use of a quota, which visitors must not learn. */
function withoutNumbers(error: unknown): never {
  throw error instanceof AppError ? new AppError(error.code, { cause: error }) : error
}

/** Throws the errors of {@link requireRoom}, and `StorageQuotaExceeded`. */
async function requireSpaceFor(
  ctx: SpaceContext,
  form: IntakeForm,
  bytes: number,
  files: number,
): Promise<void> {
  await requireRoom(ctx.db, form, bytes, files)
  await requireQuota(ctx, 'storage', bytes).catch(withoutNumbers)
}

/** Throws 429 if the form has no room for more files within 24 hours. */
async function requireRoom(db: Db, { scope, id }: IntakeForm, bytes: number, files: number): Promise<void> {
  const used = await sumFilesOfDay(db, scope, id)
  if (used.bytes + bytes < formLimits.fileBytesPerDay && used.files + files <= formLimits.filesPerDay) return
  throw new AppError('TooManyRequests', {
    message: 'This form has received too many files within 24 hours',
    headers: { 'retry-after': '3600' },
  })
}
