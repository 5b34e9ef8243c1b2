import { parentPort } from 'node:worker_threads'
import { matches } from '#server/lib/patterns.ts'
import type { Outcome } from '#server/lib/worker-pool.ts'
import { sanitizeEmbedCode } from './embed-code.ts'
import { renderMarkdown, sanitizeRichText } from './html.ts'

/*
 * The entry of the threads that text-work.ts hands large texts to.
 */

const works = {
  richText: sanitizeRichText,
  markdown: renderMarkdown,
  embedCode: sanitizeEmbedCode,
  patterns: (checks: PatternCheck[]) => checks.map(({ pattern, value }) => matches(pattern, value)),
}
export type Works = typeof works

/** Does the value match the pattern? */
export interface PatternCheck {
  pattern: string
  value: string
}

/** What to do, and with what. */
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
