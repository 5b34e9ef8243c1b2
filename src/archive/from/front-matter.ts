import { parse } from 'yaml'
import { isRecord } from './values.ts'

/** Nothing that stands before a text is longer. */
const longest = 1_000_000

/** A text with what stands before it, in YAML between lines of three hyphens. Throws what YAML throws. */
export function readFrontMatter(text: string): { front: Record<string, unknown>; body: string } {
  const [whole = '', yaml = ''] =
    /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(text.slice(0, longest)) ?? []
  if (whole === '' || !text.startsWith('---')) return { front: {}, body: text }
  // Days and times stay as they are written; an alias may be used, and not to blow up.
  const front: unknown = parse(yaml, { schema: 'core', maxAliasCount: 50, merge: false, logLevel: 'error' })
  return {
    front: isRecord(front) ? front : {},
    body: text.slice(whole.length).replace(/^(?:[ \t]*\r?\n)+/, ''),
  }
}
