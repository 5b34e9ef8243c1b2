import { availableParallelism } from 'node:os'
import { createGate } from '#server/lib/gate.ts'
import { WorkerEnded, WorkTookTooLong, WorkTooLarge } from '#server/lib/worker-errors.ts'
import { busy, createWorkerPool } from '#server/lib/worker-pool.ts'
import { AppError, invalid } from '#shared/errors.ts'
import type { ImageOutcome, ImageTask, Works } from './image-worker.ts'
import { pictureLimits } from './limits.ts'
import type { RefusalCode } from './refusal.ts'

/*
 * Untrusted files are decoded in separate processes, which run at low priority and can be killed (docs/decisions/0031).
 */

/** Entry point of the processes: next to this file, or next to main.js in the bundle. */
const imageWorker = new URL(
  import.meta.url.endsWith('.ts') ? './image-worker.ts' : './image-worker.js',
  import.meta.url,
)

/** Maximum number of processes for transforms. */
export const imageProcesses = Math.max(1, Math.min(4, availableParallelism() - 1))

/** Maximum time in milliseconds that a task waits in a queue. */
const waitLimit = 30_000

const createImagePool = (processes: number) =>
  createWorkerPool<ImageTask, ImageOutcome<unknown>>({
    entry: imageWorker,
    processes,
    isLowPriority: true,
    cpuLimit: pictureLimits.time,
    runLimit: pictureLimits.wait,
    waitLimit,
    memory: pictureLimits.memory,
    idleLimit: 60_000,
  })

const uploadProcesses = Math.ceil(imageProcesses / 2)
/** Transforms have separate processes, so that they do not wait for uploads. */
const [uploads, readers] = [createImagePool(uploadProcesses), createImagePool(imageProcesses)]

/**
 * Spaces take turns with their uploads. Work waits here for at most `waitLimit`, as it would in the queue of the pool.
 */
const turns = createGate({ active: uploadProcesses, waiting: 64, patience: waitLimit, refusal: busy })

/** The requester of the work: see `Work` in access/context.ts. */
interface Requester {
  spaceId: number | null
  signal?: AbortSignal | undefined
}

const refuse = (code: RefusalCode) =>
  code === 'ValidationFailed' ? invalid('region', 'InvalidValue') : new AppError(code)

/**
 * Runs work on a file in a process. Throws an `AppError` with a code of refusal.ts. `ImageIsTooLarge`: also if the work
 * exceeds its limit of processor time or memory. `FileIsDamaged`: also if the process ends. Throws `ServiceUnavailable`
 * if the queue is full or the machine is too busy, which does not depend on the file.
 */
async function run<Kind extends keyof Works>(
  pool: typeof uploads,
  kind: Kind,
  input: Parameters<Works[Kind]>[0],
) {
  const task = { kind, input } as ImageTask
  const outcome = await pool.run(task).catch((error: unknown): ImageOutcome<unknown> => {
    if (error instanceof WorkTookTooLong) throw busy()
    if (error instanceof WorkTooLarge) return { refusal: 'ImageIsTooLarge' }
    if (error instanceof WorkerEnded) return { refusal: 'FileIsDamaged' }
    throw error
  })
  if ('refusal' in outcome) throw refuse(outcome.refusal)
  return outcome.made as Awaited<ReturnType<Works[Kind]>>
}

/**
 * Detects type and properties of a file from its content. `path` is on disk, `declared` is the media type that the
 * client sent. Throws an `AppError`: `FileIsEmpty`, `FileIsDamaged`, `ImageIsTooLarge`, `UnsupportedMediaType` (the
 * content contradicts `declared`, or an SVG declares entities), `ServiceUnavailable`.
 */
export function inspect(path: string, declared: string, { spaceId, signal }: Requester) {
  signal?.throwIfAborted()
  return turns.run({ line: spaceId ?? 0 }, () => run(uploads, 'inspect', { path, declared }))
}

/** Transforms a picture. Throws the errors of {@link run}. */
export const transform = (input: Parameters<Works['transform']>[0]) => run(readers, 'transform', input)

/** Rotates a picture, then crops it. The result has the same type. Throws the errors of {@link run}. */
export const edit = (path: string, change: Parameters<Works['edit']>[0]['edit'], { spaceId }: Requester) =>
  turns.run({ line: spaceId ?? 0 }, () => run(uploads, 'edit', { path, edit: change }))
