import { parse as parseToml, TomlDate } from 'smol-toml'
import { isRecord, objectOf } from './values.ts'
import { InvalidYaml, readYaml } from './yaml.ts'

/** Maximum length of front matter in characters. */
const longest = 100_000
const deepest = 100

/**
 * Front matter of static site generators: YAML, TOML (Hugo, Zola) and JSON (Hugo), with the pattern that contains it.
 */
const formats: { begins: string; pattern: RegExp; read(text: string): unknown }[] = [
  { begins: '---', pattern: /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m, read: readYaml },
  {
    begins: '+++',
    pattern: /^\+\+\+[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)\+\+\+[ \t]*(?:\r?\n|$)/m,
    read: readToml,
  },
  // JSON is valid YAML.
  { begins: '{', pattern: /^(\{[ \t]*\r?\n[\s\S]*?\r?\n\})[ \t]*(?:\r?\n|$)/, read: readYaml },
]

/** Returns whether a text begins like front matter. */
export const beginsWithFrontMatter = (text: string): boolean =>
  /^(?:---[ \t]*\r?\n|\+\+\+[ \t]*\r?\n|\{[ \t]*\r?\n[\s\S]*?\r?\n\}[ \t]*\r?\n)/.test(text)

/** Splits a text into its front matter and its body. Throws `InvalidYaml`. */
export function readFrontMatter(text: string): { front: Record<string, unknown>; body: string } {
  const format = formats.find(({ begins }) => text.startsWith(begins))
  const [whole = '', inner = ''] = format?.pattern.exec(text) ?? []
  if (!format || whole === '') return { front: {}, body: text }
  if (inner.length > longest) throw new InvalidYaml('bytes')
  const front = format.read(inner) ?? {}
  // Words between two lines of dashes are part of the text.
  if (!isRecord(front)) return { front: {}, body: text }
  return {
    front,
    body: text.slice(whole.length).replace(/^(?:[ \t]*\r?\n)+/, ''),
  }
}

function readToml(text: string): unknown {
  try {
    return withTexts(parseToml(text, { maxDepth: deepest }))
  } catch (error) {
    throw new InvalidYaml('toml', { cause: error })
  }
}

/** Returns the value with its dates as texts, as for YAML. */
function withTexts(value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString()
  if (Array.isArray(value)) return value.map(withTexts)
  if (!isRecord(value)) return value
  return objectOf(Object.entries(value).map(([key, inner]) => [key, withTexts(inner)]))
}
