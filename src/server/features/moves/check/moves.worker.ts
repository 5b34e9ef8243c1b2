import { serveProcess } from '#server/lib/worker-process.ts'
import { createOutgoing } from '#server/outgoing.ts'
import { withArchive } from '../archive/archive-files.ts'
import { movePlanFor } from '../plan/plan-contents.ts'
import { convertUpload } from './convert-upload.ts'
import type { Answers, UploadCall, UploadOutcome, UploadTask, UploadWorks } from './upload-work.ts'
import { verifyUpload } from './verify-upload.ts'

/* Entry of the processes that parse uploads (upload-work.ts). */

/** The content that is being read, if known. Reported if the work fails. */
let reading: string | undefined

type Progress = (done: number, total: number | null) => void
type Ask = <Answer>(what: keyof Answers, input: unknown) => Promise<Answer>

const works: {
  [Kind in keyof UploadWorks]: (
    input: UploadWorks[Kind]['input'],
    progress: Progress,
    ask: Ask,
  ) => Promise<UploadWorks[Kind]['result']>
} = {
  async convert({ settings, ...input }, progress) {
    const outgoing = createOutgoing(settings)
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
        movePlanFor(source, {
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

/** Milliseconds between two reports of progress. */
const reportIntervalMs = 500

serveProcess(async ({ kind, input }: UploadTask, callServer): Promise<UploadOutcome> => {
  const call = (message: UploadCall) => callServer(message)
  const latest: { done: number | null; total: number | null } = { done: null, total: null }
  const report = () => call({ progress: latest })
  reading = undefined
  // Sent before the work begins, because a file may block this thread from its first byte on.
  await report()
  const reporting = setInterval(report, reportIntervalMs)
  try {
    const work = works[kind] as (input: unknown, progress: Progress, ask: Ask) => Promise<unknown>
    const progress: Progress = (done, total) => void Object.assign(latest, { done, total })
    const ask = (what: keyof Answers, about: unknown) => call({ what, input: about })
    return { made: await work(input, progress, ask as Ask) }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { failed: { message, stack, at: reading } }
  } finally {
    clearInterval(reporting)
  }
})
