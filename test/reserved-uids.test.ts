import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints } from '#shared/contract/index.ts'
import { idPattern, type UidKind, uidProblem } from '#shared/identifiers.ts'
import { startInstallation, type TestInstallation } from './server.ts'
import { siblingSegments } from './sibling-segments.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation?.close())

const kinds: Record<string, UidKind> = { p: 'space', a: 'app', m: 'model' }
const free = (siblings: { parameter: string; segment: string }[]) =>
  siblings.filter(({ parameter, segment }) => {
    const kind = kinds[parameter]
    return kind ? uidProblem(kind, segment) === null : idPattern.test(segment)
  })

it('no fixed path segment of the management API can be confused with a uid or id at its position', () => {
  const paths = Object.values(endpoints).map(({ route }) => route.slice(route.indexOf('/')))
  const siblings = siblingSegments(paths)
  expect(siblings).toContainEqual({ parameter: 'id', segment: 'bulkPublish' })
  expect(siblings).toContainEqual({ parameter: 'm', segment: 'duplicate' })
  expect(free(siblings)).toEqual([])
})

it('the fixed segment "space" of the delivery API is not a valid uid of an app', () => {
  const siblings = siblingSegments(['/v1/{a}/{m}/{id}', '/v1/space/apps/{a}'])
  expect(siblings).toEqual([{ parameter: 'a', segment: 'space' }])
  expect(free(siblings)).toEqual([])
})

it('the server has no fixed first path segment that is also a valid uid of a space', () => {
  const tree = installation.server.printRoutes({ commonPrefix: false })
  const first = [...tree.matchAll(/^(?:├──|└──) \/?([\w-]+)/gm)].map(([, segment]) => segment ?? '')
  expect(first).toEqual(expect.arrayContaining(['api', 'apiManagement', 'healthz', 'readyz', 'v1']))
  expect(first.filter((segment) => uidProblem('space', segment) === null)).toEqual([])
})

it.each<[UidKind, string[]]>([
  [
    'space',
    [
      ...['login', 'sign-up', 'sso', 'two-factor-authentication', 'project', 'projects', 'space', 'spaces'],
      ...[
        'account',
        'confirm',
        'forgot-password',
        'reset-password',
        'connected',
        'appTypes',
        'apiManagement',
      ],
    ],
  ],
  ['app', ['invitation', 'two-factor-authentication-not-configured']],
])('uidProblem() rejects reserved words, as listed and in capitals, for the kind "%s"', (kind, words) => {
  expect(words.filter((word) => uidProblem(kind, word) === null)).toEqual([])
  expect(words.filter((word) => uidProblem(kind, word.toUpperCase()) === null)).toEqual([])
})
