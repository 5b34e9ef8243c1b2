import { serveProcess } from '#server/lib/worker-process.ts'
import { inspectFile } from './inspect-file.ts'
import { decoderRefusal, type RefusalCode } from './refusal.ts'
import { editFile, transformFile } from './transform-file.ts'

/* Entry point of the processes that decode untrusted files. */

const works = { inspect: inspectFile, transform: transformFile, edit: editFile }
export type Works = typeof works

export type ImageTask = {
  [Kind in keyof Works]: { kind: Kind; input: Parameters<Works[Kind]>[0] }
}[keyof Works]

/** Errors lose their class between processes, so a refusal is sent as its code. */
export type ImageOutcome<Result> = { made: Result } | { refusal: RefusalCode }

serveProcess(async ({ kind, input }: ImageTask): Promise<ImageOutcome<unknown>> => {
  try {
    return { made: await (works[kind] as (input: unknown) => Promise<unknown>)(input) }
  } catch (error) {
    return { refusal: decoderRefusal(error).code }
  }
})
