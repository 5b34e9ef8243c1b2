/* Nodes of the XML parser: `$` contains the attributes, `_` the text, and each element name a list of children. */

export type Node = Record<string, unknown>
export const read = (value: unknown): Node =>
  typeof value === 'object' && value !== null ? (value as Node) : {}
export const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]
export const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
export const textIn = (value: unknown): unknown => {
  const one = first(value)
  return typeof one === 'string' ? one : read(one)._
}

export function timeIn(attributes: unknown, name: string): Date | null {
  const text = read(attributes)[name]
  const time = typeof text === 'string' ? new Date(text) : null
  return time === null || Number.isNaN(time.getTime()) ? null : time
}
