import { expect, it } from 'vitest'
import {
  carriedUidProblem,
  isComingWord,
  queryParameters,
  type UidKind,
  uidPattern,
  uidProblem,
} from './identifiers.ts'

it('uidProblem refuses names of the query language and of document properties as field uids', () => {
  for (const uid of [...queryParameters, 'or', 'and', 'fmt', '_id', '_sys', 'constructor', '__proto__'])
    expect(uidProblem('field', uid), uid).toBe('ReservedWord')
  // Addresses are case-insensitive; field uids are not.
  expect(uidProblem('field', 'Order')).toBeNull()
})

it('uidPattern refuses "-", the path segment of built-in pages', () => {
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

it.each<[UidKind, string[]]>([
  ['field', ['after', 'at', 'preview', 'release', 'sync', 'token']],
  ['model', ['live', 'Live', 'sync']],
])('a new %s cannot use the words reserved for future features of the delivery API: %j', (kind, words) => {
  for (const word of words) {
    expect([word, uidProblem(kind, word), isComingWord(kind, word)]).toEqual([word, 'ReservedWord', true])
    expect(uidProblem(kind, word, word)).toBeNull()
    // Imported uids are already used in requests of sites.
    expect(carriedUidProblem(kind, word)).toBeNull()
  }
})

it('carriedUidProblem refuses reserved words and invalid uids for imports too', () => {
  for (const uid of ['depth', 'search', 'order', '__proto__', 'constructor', '1a', ''])
    expect(carriedUidProblem('field', uid), uid).not.toBeNull()
  expect(carriedUidProblem('model', 'duplicate')).toBe('ReservedWord')
})
