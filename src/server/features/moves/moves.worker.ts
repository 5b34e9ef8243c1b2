import { once } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Outcome } from '#server/lib/worker-pool.ts'
import { type ApartOutcome, type ApartTask, type ApartWorks, type Question, slots } from './moves.apart.ts'
import { convertUpload } from './moves.convert.ts'
import { withArchive } from './moves.files.ts'
import { planFor } from './moves.plan.ts'
import { verifyUpload } from './moves.verify.ts'

/*
 * The entry of the threads that read what people bring (moves.apart.ts).
 */

/** What is being read now, as far as the work says. */
let reading: string | undefined

type Progress = (done: number, total: number | null) => void
type Ask = <Answer>(what: Question['what'], input: unknown) => Promise<Answer>

/** One question after the other: the server answers in their order. */
const askBy =
  (port: MessagePort): Ask =>
  async (what, input) => {
    port.postMessage({ what, input } satisfies Question)
    const [answer] = await once(port, 'message')
    return answer
  }

const works: {
  [Kind in keyof ApartWorks]: (
    input: ApartWorks[Kind]['input'],
    progress: Progress,
    ask: Ask,
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
  plan: ({ path, part, language = 'ja' }, progress, ask) =>
    withArchive(
      path,
      (source) =>
        planFor(source, {
          language,
          onProgress: progress,
          at: (what) => {
            reading = what
          },
          isAppTaken: (uid) => ask('isAppTaken', uid),
          takenDocuments: (ids) => ask('takenDocuments', ids),
          takenAssets: (ids) => ask('takenAssets', ids),
        }),
      part,
    ),
}

/** How often a thread says that it is not stuck, in milliseconds. */
const beatEvery = 500

parentPort?.on('message', async ({ kind, input, shared, port }: ApartTask) => {
  const told = new Float64Array(shared)
  const beat = setInterval(() => {
    told[slots.beat] = (told[slots.beat] ?? 0) + 1
  }, beatEvery)
  reading = undefined
  let outcome: ApartOutcome
  try {
    const work = works[kind] as (input: unknown, progress: Progress, ask: Ask) => Promise<unknown>
    const progress: Progress = (done, total) => {
      told[slots.total] = total ?? -1
      told[slots.done] = done
    }
    const result = await work(input, progress, askBy(port))
    outcome = { made: result }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    outcome = { failed: { message, stack, at: reading } }
  }
  clearInterval(beat)
  port.close()
  parentPort?.postMessage({ result: outcome } satisfies Outcome<ApartOutcome>)
})
