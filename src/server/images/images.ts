import { availableParallelism } from 'node:os'
import {
  busy,
  createWorkerPool,
  WorkerEnded,
  WorkTookTooLong,
  WorkTooLarge,
} from '#server/lib/worker-pool.ts'
import { startProcess } from '#server/lib/worker-process.ts'
import { AppError, invalid } from '#shared/errors.ts'
import type { ImageOutcome, ImageTask, Works } from './image-worker.ts'
import { pictureLimits } from './limits.ts'
import type { RefusalCode } from './refusal.ts'

/*
 * Files of strangers are decoded in processes of their own, which can be killed and give way to everything else
 * (docs/decisions/0031).
 */

/** The entry of the processes: beside this file, and in the bundle beside main.js. */
const imageWorker = new URL(
  import.meta.url.endsWith('.ts') ? './image-worker.ts' : './image-worker.js',
  import.meta.url,
)

/** Processes that decode at once. */
export const imageProcesses = Math.max(1, Math.min(4, availableParallelism() - 1))

/** Uploads are looked at before anything is made. */
const order: Record<keyof Works, number> = { inspect: 0, edit: 1, transform: 2 }

const pool = createWorkerPool<ImageTask, ImageOutcome<unknown>>({
  entry: imageWorker,
  start: startProcess,
  threads: imageProcesses,
  cpuLimit: pictureLimits.time,
  runLimit: pictureLimits.wait,
  waitLimit: 30_000,
  memory: pictureLimits.memory,
  idleLimit: 60_000,
  sizeOf: ({ kind }) => order[kind],
})

const refuse = (code: RefusalCode) =>
  code === 'ValidationFailed' ? invalid('region', 'InvalidValue') : new AppError(code)

/**
 * Lets a process work at a file. Throws AppError: the refusals of refusal.ts, `ImageIsTooLarge` for what takes too much processor
 * time or memory, `ServiceUnavailable` when too many are waiting, or the machine has no time for it: that says nothing of the file.
 */
async function run<Kind extends keyof Works>(kind: Kind, input: Parameters<Works[Kind]>[0]) {
  const task = { kind, input } as ImageTask
  // One that was ended by somebody else says nothing of the file; one that crashes twice does.
  const outcome = await pool
    .run(task)
    .catch((error: unknown) => (error instanceof WorkerEnded ? pool.run(task) : Promise.reject(error)))
    .catch((error: unknown): ImageOutcome<unknown> => {
      if (error instanceof WorkTookTooLong) throw busy()
      if (error instanceof WorkTooLarge) return { refusal: 'ImageIsTooLarge' }
      if (error instanceof WorkerEnded) return { refusal: 'FileIsDamaged' }
      throw error
    })
  if ('refusal' in outcome) throw refuse(outcome.refusal)
  return outcome.made as Awaited<ReturnType<Works[Kind]>>
}

/**
 * What a file is, by its content: `path` on the disk, `declared` what it was said to be. Throws AppError `FileIsEmpty`,
 * `FileIsDamaged`, `ImageIsTooLarge`, `UnsupportedMediaType` (it is not what it was said to be), `ServiceUnavailable`.
 */
export function inspect(path: string, declared: string, signal?: AbortSignal) {
  signal?.throwIfAborted()
  return run('inspect', { path, declared })
}

/** Makes a picture of a picture. Throws as {@link inspect}. */
export const transform = (input: Parameters<Works['transform']>[0]) => run('transform', input)

/** Turns a picture, then cuts it; the result is of the same type. Throws as {@link inspect}. */
export const edit = (path: string, change: Parameters<Works['edit']>[0]['edit']) =>
  run('edit', { path, edit: change })
