import { expect, it } from 'vitest'
import { idPattern, type UidKind, uidProblem } from '#shared/identifiers.ts'
import { siblingSegments } from '#test/sibling-segments.ts'
import { router } from './router.tsx'

const kinds: Record<string, UidKind> = { p: 'space', a: 'app', m: 'model' }
const siblings = siblingSegments(Object.keys(router.routesByPath))

it('the admin has no fixed path segment that is also a valid uid or id', () => {
  const free = siblings.filter(({ parameter, segment }) => {
    const kind = kinds[parameter]
    return kind ? uidProblem(kind, segment) === null : idPattern.test(segment)
  })
  expect(free).toEqual([])
})

it('the checked segments come from the real routes', () => {
  expect(siblings).toEqual(
    expect.arrayContaining([
      { parameter: 'p', segment: 'spaces' },
      { parameter: 'a', segment: '-' },
      { parameter: 'm', segment: '-' },
      { parameter: 'id', segment: 'new' },
    ]),
  )
})
