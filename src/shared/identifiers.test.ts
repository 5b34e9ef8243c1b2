import { expect, it } from 'vitest'
import { queryParameters, type UidKind, uidPattern, uidProblem } from './identifiers.ts'

it('no field is called what the query language or a document calls its own', () => {
  for (const uid of [...queryParameters, 'or', 'and', 'fmt', '_id', '_sys', 'constructor', '__proto__'])
    expect(uidProblem('field', uid), uid).toBe('ReservedWord')
  // No address tells cases apart, and every field does.
  expect(uidProblem('field', 'Order')).toBeNull()
})

it('no uid begins with the segment below which pages of our own lie', () => {
  expect(uidPattern.test('-')).toBe(false)
})

it.each<[UidKind, string]>([
  ['space', 'jobs'],
  ['app', 'Settings'],
  ['model', 'duplicate'],
  ['field', 'fmt'],
])('a %s keeps a uid that was reserved after it was taken: %s', (kind, uid) => {
  expect(uidProblem(kind, uid)).toBe('ReservedWord')
  expect(uidProblem(kind, uid, 'other')).toBe('ReservedWord')
  expect(uidProblem(kind, uid, uid)).toBeNull()
})
