import { expect, it } from 'vitest'
import { idPattern, type UidKind, uidProblem } from '#shared/identifiers.ts'
import { siblingSegments } from '#test/sibling-segments.ts'
import { router } from './router.tsx'

const kinds: Record<string, UidKind> = { p: 'space', a: 'app', m: 'model' }
const siblings = siblingSegments(Object.keys(router.routesByPath))

it('no fixed path segment of the admin is a valid value of a path parameter at the same position', () => {
  const free = siblings.filter(({ parameter, segment }) => {
    const kind = kinds[parameter]
    return kind ? uidProblem(kind, segment) === null : idPattern.test(segment)
  })
  expect(free).toEqual([])
})

it('`siblingSegments` finds known fixed segments in the routes of the admin', () => {
  expect(siblings).toEqual(
    expect.arrayContaining([
      { parameter: 'p', segment: 'spaces' },
      { parameter: 'a', segment: '-' },
      { parameter: 'm', segment: '-' },
      { parameter: 'id', segment: 'new' },
    ]),
  )
})
