import { type Field, typeOf } from '#shared/fields/index.ts'
import { sameValue } from './values.ts'

/**
 * Returns whether two values of a field are equal once stored. The server may serialise HTML differently from the
 * editor (`<br />`, attribute order). In rich text and in nested values, two texts that look like HTML are compared as
 * HTML. Other text is compared exactly.
 */
export function sameStored(field: Pick<Field, 'type'>, left: unknown, right: unknown): boolean {
  return sameValue(left, right) || sameSpelled(left, right, typeOf(field).isHtml === true)
}

function sameSpelled(left: unknown, right: unknown, isHtml: boolean): boolean {
  if (Object.is(left, right)) return true
  if (typeof left === 'string' && typeof right === 'string')
    return isHtml && looksLikeHtml(left) && looksLikeHtml(right) && bodyOf(left).isEqualNode(bodyOf(right))
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const [a, b] = [left as Record<string, unknown>, right as Record<string, unknown>]
  const keys = Object.keys(a)
  // Nested values may be rich text too.
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameSpelled(a[key], b[key], true))
  )
}

const looksLikeHtml = (text: string) => /^\s*<.*>\s*$/s.test(text)

const bodyOf = (html: string) => new DOMParser().parseFromString(html, 'text/html').body
