import { expect, it } from 'vitest'
import {
  carriedUidProblem,
  isComingWord,
  queryParameters,
  type UidKind,
  uidPattern,
  uidProblem,
} from './identifiers.ts'

it('uidProblem reports reserved words as field uids, and compares them case-sensitively', () => {
  for (const uid of [...queryParameters, 'or', 'and', 'fmt', '_id', '_sys', 'constructor', '__proto__'])
    expect(uidProblem('field', uid), uid).toBe('ReservedWord')
  // uids in URLs are case-insensitive; field uids are not.
  expect(uidProblem('field', 'Order')).toBeNull()
})

it('uidPattern does not match "-"', () => {
  expect(uidPattern.test('-')).toBe(false)
})

it.each<[UidKind, string]>([
  ['space', 'jobs'],
  ['app', 'Settings'],
  ['model', 'duplicate'],
  ['field', 'fmt'],
])('uidProblem returns ReservedWord for the %s uid %s, unless it is the current uid', (kind, uid) => {
  expect(uidProblem(kind, uid)).toBe('ReservedWord')
  expect(uidProblem(kind, uid, 'other')).toBe('ReservedWord')
  expect(uidProblem(kind, uid, uid)).toBeNull()
})

it.each<[UidKind, string[]]>([
  ['field', ['after', 'at', 'preview', 'release', 'sync', 'token']],
  ['model', ['live', 'Live', 'sync']],
])(
  'uidProblem refuses words reserved for future features as new %s uids; carriedUidProblem accepts them: %j',
  (kind, words) => {
    for (const word of words) {
      expect([word, uidProblem(kind, word), isComingWord(kind, word)]).toEqual([word, 'ReservedWord', true])
      expect(uidProblem(kind, word, word)).toBeNull()
      // Imported uids are already used in requests of sites.
      expect(carriedUidProblem(kind, word)).toBeNull()
    }
  },
)

it('carriedUidProblem refuses names of query parameters and object internals, and invalid uids', () => {
  for (const uid of ['depth', 'search', 'order', '__proto__', 'constructor', '1a', ''])
    expect(carriedUidProblem('field', uid), uid).not.toBeNull()
  expect(carriedUidProblem('model', 'duplicate')).toBe('ReservedWord')
})
