import { matches } from '#server/lib/patterns.ts'
import { serveProcess } from '#server/lib/worker-process.ts'
import { removalsOf } from '#shared/html-removals.ts'
import { sanitizeEmbedCode } from './embed-code.ts'
import { renderMarkdown, sanitizeRichText } from './html.ts'

/* The entry file of the processes that work on large texts for text-work.ts. */

const works = {
  richText: sanitizeRichText,
  markdown: renderMarkdown,
  embedCode: sanitizeEmbedCode,
  removals: removalsOf,
  patterns: (checks: PatternCheck[]) => checks.map(({ pattern, value }) => matches(pattern, value)),
}
export type Works = typeof works

export interface PatternCheck {
  pattern: string
  value: string
}

export type TextTask = {
  [Kind in keyof Works]: { kind: Kind; input: Parameters<Works[Kind]>[0] }
}[keyof Works]

serveProcess(({ kind, input }: TextTask) => (works[kind] as (input: unknown) => unknown)(input))
