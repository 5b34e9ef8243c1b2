import { endOfNumber, isExactNumber } from '#server/lib/exact-number.ts'
import { AppError, type IssueCode } from '#shared/errors.ts'
import { isStorableText } from '#shared/fields/field-type.ts'
import { pathAt } from './exact-numbers.ts'

const limits = { depth: 64, values: 100_000, keys: 10_000 }
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])
/** For a fast check: most bodies contain neither these keys nor escapes that could encode them. */
const mayBeForbidden = /__proto__|constructor|prototype|\\u/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a JSON body like {@link parseJson}, and refuses keys with a special meaning in JavaScript.
 */
export function parseJsonBody(body: Buffer): unknown {
  const { text, value } = parseJson(body)
  if (mayBeForbidden.test(text)) refuseForbiddenKeys(value)
  return value
}

/**
 * Parses JSON with limits on depth, values and keys per object. Invalid UTF-8 and numbers that JavaScript would round
 * are refused, so that stored values equal the sent values. Throws 400 `ValidationFailed`.
 */
export function parseJson(body: Buffer): { text: string; value: unknown } {
  checkShape(body)
  try {
    const text = utf8.decode(body)
    return { text, value: JSON.parse(text) }
  } catch {
    throw new AppError('ValidationFailed', {
      message: 'The body is not valid JSON',
      issues: [{ path: '', code: 'InvalidFormat' }],
    })
  }
}

/** A body that the protocol of its endpoint cannot read as an object. */
export class UnreadableBody extends AppError {
  constructor(message: string, cause?: unknown) {
    super('ValidationFailed', { message, cause })
  }
}

/**
 * Parses an object of a protocol. Returns `{}` for an empty body. Throws {@link UnreadableBody} for anything else than
 * an object that {@link parseJsonBody} accepts.
 */
export function parseJsonObject(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {}
  let value: unknown
  try {
    value = parseJsonBody(body)
  } catch (error) {
    throw new UnreadableBody((error as Error).message, error)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableBody('The body is an object')
  return value as Record<string, unknown>
}

interface Place {
  node: object
  key: string
  around: Place | undefined
}

function refuseForbiddenKeys(value: unknown): void {
  const stack: Place[] = []
  const enter = (node: unknown, key: string, around: Place | undefined) => {
    if (typeof node === 'object' && node !== null) stack.push({ node, key, around })
  }
  enter(value, '', undefined)
  for (let place = stack.pop(); place; place = stack.pop())
    for (const [key, inner] of Object.entries(place.node)) {
      if (forbiddenKeys.has(key))
        throw refuse(pathOf(place, key), 'ReservedWord', `the key ${key} is not allowed`)
      enter(inner, key, place)
    }
}

function pathOf(place: Place, key: string): string {
  const keys = [key]
  for (let at: Place | undefined = place; at?.around; at = at.around) keys.unshift(at.key)
  return keys.join('.')
}

const [quote, backslash, comma, openArray, closeArray, openObject, closeObject, minus] =
  Buffer.from('"\\,[]{}-')
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39

/**
 * Checks the limits before parsing, by counting brackets and commas outside strings. Otherwise 4 MB of brackets would
 * block the event loop for half a second. Throws 400 beyond the limits, and for a number that JavaScript would round.
 */
function checkShape(body: Buffer): void {
  let depth = 0
  let values = 1
  /** Number of commas in the open arrays and objects, by depth. */
  const commas = new Uint32Array(limits.depth + 1)
  let inString = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (inString) {
      if (byte === backslash) at++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === minus || isDigit(byte)) {
      const end = endOfNumber(body, at)
      if (!isExactNumber(body.toString('latin1', at, end)))
        throw refuse(pathAt(body, at), 'InvalidValue', 'a number has more digits than can be kept')
      at = end - 1
    } else if (byte === comma) {
      values++
      if (depth > 0) commas[depth] = (commas[depth] ?? 0) + 1
    } else if (byte === closeArray || byte === closeObject) {
      if (byte === closeObject && (commas[depth] ?? 0) >= limits.keys)
        throw refuse('', 'TooManyItems', 'too many keys in one object')
      depth--
    } else if (byte === openArray || byte === openObject) {
      values++
      if (++depth > limits.depth) throw refuse('', 'InvalidValue', 'nested too deeply')
      commas[depth] = 0
    }
    if (values > limits.values) throw refuse('', 'TooManyItems', 'too many values')
  }
}

function refuse(path: string, code: IssueCode, message: string): AppError {
  return new AppError('ValidationFailed', {
    message: `The body is refused: ${message}`,
    issues: [{ path: path.slice(0, 200), code }],
  })
}

/**
 * Returns the path of the first text or key that PostgreSQL cannot store; undefined if all can be stored. `value` must
 * not be deeper than the limit for bodies.
 */
export function unstorablePath(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`
    const found = isStorableText(key) ? unstorablePath(inner, at) : at
    if (found !== undefined) return found.slice(0, 200)
  }
  return undefined
}
