import { createMemoryHistory } from '@tanstack/react-router'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { setAccount } from '#admin/lib/session.ts'
import { answerRequests } from '#admin/lib/testing.tsx'
import { router } from '#admin/router.tsx'
import { isServerPath, requireAdmin, safeTarget } from './guards.ts'

const account = {
  _id: '0123456789abcdef01234567',
  email: 'a@example.com',
  name: '',
  isAdmin: false,
  language: 'ja',
  colorScheme: 'auto',
  emailVerified: false,
  icon: null,
} as const

afterEach(() => setAccount(null))
// A dynamic import that is still pending at the end of this file would fail in later files.
afterAll(() => vi.dynamicImportSettled())

const address = () => decodeURIComponent(router.state.location.href)

async function visit(href: string): Promise<void> {
  answerRequests(() => ({ status: 404, body: { code: 'NotFound' } }))
  router.update({ ...router.options, history: createMemoryHistory({ initialEntries: [href] }) })
  await router.load()
}

describe('a visitor', () => {
  it.each([
    ['/', '/login'],
    ['/spaces', '/login'],
    ['/projects', '/login'],
    ['/acme/-/settings', '/login?redirect=/acme/-/settings'],
    ['/acme/settings', '/login?redirect=/acme/-/settings'],
    ['/acme/blog/article?order=title', '/login?redirect=/acme/blog/article?order=title'],
    ['/acme?code=123', '/login?redirect=/acme?code=123&invitation-code=123'],
    ['/acme?page=sign-up&code=abc', '/sign-up?redirect=/acme?page=sign-up&code=abc&invitation-code=abc'],
    ['/project/new', '/login?redirect=/spaces/new'],
    ['/sign-up', '/sign-up'],
  ])('requests %s and arrives at %s', async (href, end) => {
    await visit(href)
    await expect.poll(address).toBe(end)
  })
})

describe('a signed-in user', () => {
  it.each([
    ['/', '/spaces'],
    ['/projects', '/spaces'],
    ['/login', '/spaces'],
    ['/sign-up?invitation-code=x', '/spaces'],
    ['/project/new', '/spaces/new'],
    ['/space/new', '/spaces/new'],
    ['/account', '/account'],
    ['/acme/settings?a=1#b', '/acme/-/settings?a=1#b'],
    ['/acme/settings/members', '/acme/-/members'],
    ['/acme/settings/api-keys', '/acme/-/api-keys'],
    ['/acme/blog/settings', '/acme/blog/-/settings'],
    ['/acme/blog/models/new', '/acme/blog/-/models/new'],
    ['/acme/blog/article/model', '/acme/blog/article/-/model'],
    ['/acme/blog/article/trash', '/acme/blog/article/-/trash'],
    ['/acme/Settings', '/acme/Settings'],
    ['/acme/blog/article/new', '/acme/blog/article/new'],
    ['/acme', '/acme'],
  ])('opens %s and arrives at %s', async (href, end) => {
    setAccount(account)
    await visit(href)
    await expect.poll(address).toBe(end)
  })
})

describe('requireAdmin', () => {
  const location = { href: '/appTypes', search: {} }

  it('redirects visitors to the login, and users who are not admins to /', () => {
    expect(() => requireAdmin({ location })).toThrow(
      expect.objectContaining({ options: expect.objectContaining({ to: '/login' }) }),
    )
    setAccount(account)
    expect(() => requireAdmin({ location })).toThrow(
      expect.objectContaining({ options: expect.objectContaining({ to: '/' }) }),
    )
  })

  it('accepts an admin of the installation', () => {
    setAccount({ ...account, isAdmin: true })
    expect(() => requireAdmin({ location })).not.toThrow()
  })
})

describe('safeTarget', () => {
  const origin = 'https://cms.example.com'

  it.each([
    ['/acme/settings?a=1#b', '/acme/settings?a=1#b'],
    [undefined, '/spaces'],
    ['', '/spaces'],
    ['https://evil.example', '/spaces'],
    ['//evil.example/x', '/spaces'],
    ['/\\evil.example', '/spaces'],
    ['/\t/evil.example', '/spaces'],
    ['javascript:alert(1)', '/spaces'],
  ])('for %j returns %s', (path, target) => {
    expect(safeTarget(path, origin)).toBe(target)
  })
})

it.each([
  ['/apiManagement', true],
  ['/apiManagement/static/index.html', true],
  ['/api/openapi.json?x', true],
  ['/apiary', false],
  ['/spaces', false],
  ['/acme/api', false],
])('isServerPath for %s returns %s', (path, expected) => {
  expect(isServerPath(path)).toBe(expected)
})
