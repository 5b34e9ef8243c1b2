import { diffArrays, diffWordsWithSpace } from 'diff'

/** A piece of a line; `own` marks text that the other version does not have. */
interface Piece {
  text: string
  own: boolean
}

/** A line of a diff: in both versions, only in the first, only in the second, or a number of skipped lines. */
export type DiffLine =
  | { kind: 'same' | 'removed' | 'added'; pieces: Piece[] }
  | { kind: 'skipped'; count: number }

const blocks =
  'p|h[1-6]|ul|ol|li|dl|dt|dd|table|caption|colgroup|thead|tbody|tfoot|tr|td|th|blockquote|pre|hr|div|section|figure|figcaption|details|summary|iframe|script'
const opening = new RegExp(`\\s*(<(?:${blocks})\\b)`, 'g')
const closing = new RegExp(`(</(?:${blocks})>|<hr[^<>]*>)\\s*`, 'g')

/** Splits HTML into lines before each opening tag and after each closing tag of a block. Omits empty lines. */
export function htmlLines(html: string): string[] {
  const spaced = html.replace(opening, '\n$1').replace(closing, '$1\n')
  return spaced.split('\n').filter((line) => line.trim() !== '')
}

const ended = `</(?:${blocks})>|<hr[^<>]*>`
const begun = `<(?:${blocks})\\b[^<>]*>`
const border = new RegExp(`(${ended})(?=</?(?:${blocks})\\b)|(${begun})(?=<(?:${blocks})\\b)`, 'g')
const lineEnd = new RegExp(`(${ended})\\n(?=</?(?:${blocks})\\b)|(${begun})\\n(?=<(?:${blocks})\\b)`, 'g')

/** Adds line ends between blocks. For a text without line ends between blocks, `withoutLineEnds` reverses this. */
export const withLineEnds = (html: string): string => html.replace(border, '$1$2\n')
export const withoutLineEnds = (text: string): string => text.replace(lineEnd, '$1$2')

/** Time limit for the comparison of all lines, in milliseconds. */
const timeout = 500
const around = 2

/** Returns a line diff of two HTML texts; null if it exceeds the time limit. */
export function diffHtml(before: string, after: string): DiffLine[] | null {
  const changes = diffArrays(htmlLines(before), htmlLines(after), { timeout })
  if (!changes) return null
  const lines: DiffLine[] = []
  for (const [index, { value, added, removed }] of changes.entries()) {
    if (removed) {
      const next = changes[index + 1]
      const pairs = next?.added ? value.map((line, at) => pairOf(line, next.value[at])) : []
      value.forEach((line, at) => {
        lines.push({ kind: 'removed', pieces: pairs[at]?.before ?? [{ text: line, own: true }] })
      })
      next?.value.forEach((line, at) => {
        if (next.added) lines.push({ kind: 'added', pieces: pairs[at]?.after ?? [{ text: line, own: true }] })
      })
    } else if (added) {
      if (!changes[index - 1]?.removed)
        for (const line of value) lines.push({ kind: 'added', pieces: [{ text: line, own: true }] })
    } else lines.push(...shortened(value, index === 0, index === changes.length - 1))
  }
  return lines
}

/**
 * Splits two lines into pieces that both contain and pieces that only one contains. Returns undefined without a second
 * line, or if the comparison exceeds 50 ms.
 */
function pairOf(before: string, after: string | undefined): { before: Piece[]; after: Piece[] } | undefined {
  const changes = after === undefined ? undefined : diffWordsWithSpace(before, after, { timeout: 50 })
  if (!changes) return undefined
  return {
    before: changes
      .filter(({ added }) => !added)
      .map(({ value, removed }) => ({ text: value, own: removed === true })),
    after: changes
      .filter(({ removed }) => !removed)
      .map(({ value, added }) => ({ text: value, own: added === true })),
  }
}

function shortened(lines: string[], isFirst: boolean, isLast: boolean): DiffLine[] {
  const same = (some: string[]) =>
    some.map((text): DiffLine => ({ kind: 'same', pieces: [{ text, own: false }] }))
  const [head, tail] = [isFirst ? 0 : around, isLast ? 0 : around]
  const skipped = lines.length - head - tail
  if (skipped < 2) return same(lines)
  return [
    ...same(lines.slice(0, head)),
    { kind: 'skipped', count: skipped },
    ...same(lines.slice(lines.length - tail)),
  ]
}
