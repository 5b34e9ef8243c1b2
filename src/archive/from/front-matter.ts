import { isRecord } from './values.ts'
import { InvalidYaml, readYaml } from './yaml.ts'

/** Maximum length of front matter. */
const longest = 100_000

/** Splits a text into its YAML front matter (between lines of three hyphens) and its body. Throws InvalidYaml. */
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
