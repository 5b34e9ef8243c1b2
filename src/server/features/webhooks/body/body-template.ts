import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/*
 * Custom bodies: JSON with placeholders. Inside a string, `{{document.title}}` is replaced by the value as text. In the
 * place of a whole value, it is replaced by the value as JSON.
 */

/** The reason why a template is invalid, with the line and column of the problem, counted from 1. */
export interface TemplateProblem {
  line: number
  column: number
  /** `json`: invalid JSON. `placeholder`: an unknown or unclosed placeholder. */
  kind: 'json' | 'placeholder'
  /** The name of the placeholder, or the error code of the JSON parser, or `TooDeep`. */
  detail: string
}

interface Placeholder {
  from: number
  to: number
  path: string[]
  /** Whether the placeholder is inside a string. */
  isText: boolean
}

export interface BodyTemplate {
  text: string
  /** Whether the body is a JSON object, which can be sent as a form. */
  isObject: boolean
  placeholders: Placeholder[]
}

/** First names of placeholder paths, with the second names that each allows. null: any names may follow. */
const known: Record<string, readonly string[] | null> = {
  event: [],
  timestamp: [],
  count: [],
  space: ['uid'],
  app: ['uid', 'name'],
  model: ['uid'],
  actor: ['kind', 'name'],
  title: [],
  summary: ['ja', 'en'],
  _id: [],
  document: null,
  before: null,
  asset: ['_id', 'fileName', 'src'],
}

const nameShape = /^[\p{L}\p{N}_-]{1,64}$/u

/** Maximum depth of arrays and objects. The parser is recursive. */
const deepest = 100

/** Parses a template. Returns its first problem if it has one. */
export function readTemplate(text: string): BodyTemplate | TemplateProblem {
  const placeholders: Placeholder[] = []
  /** The template as JSON of the same length, so that offsets are the same in both. */
  let json = ''
  let isText = false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '{' && text[at + 1] === '{' && (isText || isAlone(text, at))) {
      const end = text.indexOf('}}', at + 2)
      const inner = end < 0 ? '' : text.slice(at + 2, end)
      const path = inner.trim().split('.')
      if (end < 0 || !isKnown(path))
        return { ...placeOf(text, at), kind: 'placeholder', detail: inner.trim().slice(0, 100) }
      placeholders.push({ from: at, to: end + 2, path, isText })
      json += isText ? ' '.repeat(end + 2 - at) : 'null'.padEnd(end + 2 - at)
      at = end + 1
      continue
    }
    json += sign
    if (!isText && (sign === '[' || sign === '{') && ++depth > deepest)
      return { ...placeOf(text, at), kind: 'json', detail: 'TooDeep' }
    if (!isText && (sign === ']' || sign === '}')) depth--
    if (sign === '"') isText = !isText
    else if (sign === '\\' && isText) json += text[++at] ?? ''
  }
  const errors: ParseError[] = []
  const root = parseTree(json, errors, { disallowComments: true, allowTrailingComma: false })
  const [first] = errors
  if (!first) return { text, isObject: root?.type === 'object', placeholders }
  return { ...placeOf(text, first.offset), kind: 'json', detail: printParseErrorCode(first.error) }
}

/** Checks whether `{{` begins a placeholder here. Outside strings, valid JSON never contains `{{`. */
const isAlone = (text: string, at: number) => /^\{\{\s*[\p{L}_]/u.test(text.slice(at, at + 40))

function isKnown([first = '', ...rest]: string[]): boolean {
  if (!Object.hasOwn(known, first) || rest.some((name) => !nameShape.test(name)) || rest.length > 10)
    return false
  const names = known[first]
  if (names === null || names === undefined) return names === null
  return rest.length === 0 ? true : rest.length === 1 && names.includes(rest[0] ?? '')
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Maximum number of characters of a filled-in body, up to the end of its last placeholder. */
const mostFilled = 4_000_000

export class BodyTooLarge extends Error {}

/**
 * Fills in a template. Missing values become `null`, and `missing` inside strings. Throws `BodyTooLarge` if the text up
 * to the last placeholder exceeds 4 million characters.
 */
export function fillTemplate(
  { text, placeholders }: BodyTemplate,
  values: Record<string, unknown>,
  missing = '',
): string {
  // Values are cached because a template can contain the same large document thousands of times.
  const known = new Map<string, string>()
  function fill({ path, isText }: Placeholder): string {
    const key = `${isText} ${path.join('.')}`
    const found = known.get(key)
    if (found !== undefined) return found
    const value = path.reduce<unknown>(
      (found, name) =>
        typeof found === 'object' && found !== null && Object.hasOwn(found, name)
          ? (found as Record<string, unknown>)[name]
          : undefined,
      values,
    )
    const made = isText
      ? JSON.stringify(textOf(value ?? missing)).slice(1, -1)
      : JSON.stringify(value ?? null)
    known.set(key, made)
    return made
  }
  let filled = ''
  let at = 0
  for (const placeholder of placeholders) {
    filled += text.slice(at, placeholder.from) + fill(placeholder)
    if (filled.length > mostFilled) throw new BodyTooLarge()
    at = placeholder.to
  }
  return filled + text.slice(at)
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
