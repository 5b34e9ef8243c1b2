import { parentPort } from 'node:worker_threads'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Outcome } from '#server/lib/worker-pool.ts'
import { type ApartTask, type ApartWorks, slots } from './moves.apart.ts'
import { convertUpload } from './moves.convert.ts'
import { verifyUpload } from './moves.verify.ts'

/*
 * The entry of the threads that read what people bring (moves.apart.ts).
 */

type Progress = (done: number, total: number | null) => void

const works: {
  [Kind in keyof ApartWorks]: (
    input: ApartWorks[Kind]['input'],
    progress: Progress,
  ) => Promise<ApartWorks[Kind]['result']>
} = {
  async convert(input, progress) {
    const outgoing = createOutgoingHttp()
    try {
      return await convertUpload({
        ...input,
        outgoing,
        progress: async (done, total) => progress(done, total),
      })
    } finally {
      await outgoing.close()
    }
  },
  verify: verifyUpload,
}

/** How often a thread says that it is not stuck, in milliseconds. */
const beatEvery = 500

parentPort?.on('message', async ({ kind, input, shared }: ApartTask) => {
  const told = new Float64Array(shared)
  const beat = setInterval(() => {
    told[slots.beat] = (told[slots.beat] ?? 0) + 1
  }, beatEvery)
  let outcome: Outcome<unknown>
  try {
    const work = works[kind] as (input: unknown, progress: Progress) => Promise<unknown>
    const result = await work(input, (done, total) => {
      told[slots.total] = total ?? -1
      told[slots.done] = done
    })
    outcome = { result }
  } catch (error) {
    // Only what every error has can be handed from thread to thread.
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    outcome = { error: Object.assign(new Error(message), { stack }) }
  }
  clearInterval(beat)
  parentPort?.postMessage(outcome)
})
