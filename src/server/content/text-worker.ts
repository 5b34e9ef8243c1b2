import { parentPort } from 'node:worker_threads'
import { matches } from '#server/lib/patterns.ts'
import type { Outcome } from '#server/lib/worker-pool.ts'
import { removalsOf } from '#shared/html-removals.ts'
import { sanitizeEmbedCode } from './embed-code.ts'
import { renderMarkdown, sanitizeRichText } from './html.ts'

/* The entry of the worker threads that process large texts for text-work.ts. */

const works = {
  richText: sanitizeRichText,
  markdown: renderMarkdown,
  embedCode: sanitizeEmbedCode,
  removals: removalsOf,
  patterns: (checks: PatternCheck[]) => checks.map(({ pattern, value }) => matches(pattern, value)),
}
export type Works = typeof works

/** A pattern and the value to match against it. */
export interface PatternCheck {
  pattern: string
  value: string
}

/** A task: the kind of work and its input. */
export type TextTask = {
  [Kind in keyof Works]: { kind: Kind; input: Parameters<Works[Kind]>[0] }
}[keyof Works]

parentPort?.on('message', ({ kind, input }: TextTask) => {
  let outcome: Outcome<unknown>
  try {
    outcome = { result: (works[kind] as (input: unknown) => unknown)(input) }
  } catch (error) {
    outcome = { error }
  }
  parentPort?.postMessage(outcome)
})
