import type { z } from 'zod'
import { AppError, type IssueCode } from '#shared/errors.ts'
import { zodIssues } from '#shared/zod-issues.ts'

/** Parses input from outside, or throws 400 `ValidationFailed` that names every culprit by its path. */
export function parseInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  prefix: string[] = [],
): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  throw new AppError('ValidationFailed', { issues: zodIssues(result.error.issues, prefix) })
}

const limits = { depth: 64, nodes: 100_000 }
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a JSON body with bounds on depth and size and without keys that object machinery would act on. Works without
 * recursion, so depth cannot exhaust the stack. Bytes that are no UTF-8 are refused, not replaced: a text would be
 * stored that nobody wrote. Throws 400 `ValidationFailed`.
 */
export function parseJsonBody(body: Buffer): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch {
    throw new AppError('ValidationFailed', {
      message: 'The body is not valid JSON',
      issues: [{ path: '', code: 'InvalidFormat' }],
    })
  }
  const stack: { node: unknown; path: string; depth: number }[] = [{ node: value, path: '', depth: 0 }]
  let nodes = 0
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { node, path, depth } = item
    if (typeof node !== 'object' || node === null) continue
    if (depth >= limits.depth) throw refuse(path, 'InvalidValue', 'nested too deeply')
    for (const key of Object.keys(node)) {
      const childPath = path === '' ? key : `${path}.${key}`
      if (++nodes > limits.nodes) throw refuse(path, 'TooManyItems', 'too many values')
      if (forbiddenKeys.has(key)) throw refuse(childPath, 'ReservedWord', `the key ${key} is not allowed`)
      stack.push({ node: (node as Record<string, unknown>)[key], path: childPath, depth: depth + 1 })
    }
  }
  return value
}

function refuse(path: string, code: IssueCode, message: string): AppError {
  return new AppError('ValidationFailed', {
    message: `The body is refused: ${message}`,
    issues: [{ path: path.slice(0, 200), code }],
  })
}
