import { isRecord } from './values.ts'
import { InvalidYaml, readYaml } from './yaml.ts'

/** Nothing that stands before a text is longer. */
const longest = 100_000

/** A text with what stands before it, in YAML between lines of three hyphens. Throws InvalidYaml. */
export function readFrontMatter(text: string): { front: Record<string, unknown>; body: string } {
  const [whole = '', yaml = ''] = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(text) ?? []
  if (whole === '' || !text.startsWith('---')) return { front: {}, body: text }
  if (yaml.length > longest) throw new InvalidYaml('bytes')
  const front = readYaml(yaml)
  return {
    front: isRecord(front) ? front : {},
    body: text.slice(whole.length).replace(/^(?:[ \t]*\r?\n)+/, ''),
  }
}
