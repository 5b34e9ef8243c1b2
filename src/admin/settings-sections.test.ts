import { type AnyRoute, createMemoryHistory } from '@tanstack/react-router'
import { beforeAll, describe, expect, it } from 'vitest'
import { findByWords } from './features/shell/settings/find-sections.ts'
import { appSections, installationSections, spaceSections } from './features/shell/settings/sections.ts'
import { messages as englishLater } from './i18n/editing.en.ts'
import { messages as japaneseLater } from './i18n/editing.ja.ts'
import { messages as english } from './i18n/messages.en.ts'
import { messages as japanese } from './i18n/messages.ja.ts'
import { router } from './router.tsx'

const routes: AnyRoute[] = Object.values(router.routesById)
const areaOf = (route: AnyRoute | undefined): string | undefined =>
  route && (route.options.staticData?.settingsOf ?? areaOf(route.parentRoute))

describe.each([
  ['space', '/$p/-/', spaceSections],
  ['app', '/$p/$a/-/', appSections],
  ['installation', '/admin/', installationSections],
] as const)('the settings of the %s', (area, overview, sections) => {
  const pages = routes
    .filter((route) => areaOf(route) === area && !route.options.staticData?.settingsOf)
    .map((route) => route.fullPath as string)

  it('have a page for every section', () => {
    for (const { to } of sections) expect(pages).toContain(to)
  })

  it('have a section for every page or its parent page, except the overview', () => {
    const missing = pages.filter(
      (page) => page !== overview && !sections.some(({ to }) => page === to || page.startsWith(`${to}/`)),
    )
    expect(missing).toEqual([])
    expect(pages).toContain(overview)
  })

  it('are found by their Japanese and English names in either UI language', () => {
    const nameIn = (texts: object, key: string) =>
      key
        .split('.')
        .reduce((part, name) => (part as Record<string, object>)[name] ?? {}, texts) as unknown as string
    const languages = [
      { ...japanese, ...japaneseLater },
      { ...english, ...englishLater },
    ]
    for (const { title, words } of sections)
      for (const shown of languages)
        for (const typed of languages) {
          const query = nameIn(typed, title).replace(/[（(].*/, '')
          const found = findByWords([title], query, () => ({ name: nameIn(shown, title), words }))
          expect(found, `${query} among: ${words}`).toEqual([title])
        }
  })
})

it('pages below `/$p/-`, `/$p/$a/-` and `/admin` are settings pages, except for a fixed list', () => {
  const others = routes
    .filter((route) => /^\/(\$p(\/\$a)?\/-|admin)\//.test(route.fullPath) && areaOf(route) === undefined)
    .map((route) => route.fullPath)
  expect(others.sort()).toEqual([
    '/$p/$a/-/$',
    '/$p/$a/-/custom-types',
    '/$p/$a/-/custom-types/$id',
    '/$p/$a/-/models/import',
    '/$p/$a/-/models/new',
    '/$p/-/$',
    '/$p/-/apps/new',
    '/$p/-/assets',
    '/$p/-/forms',
    '/$p/-/forms/$form',
    '/$p/-/forms/$form/fields',
    '/$p/-/forms/$form/install',
    '/$p/-/forms/$form/mail',
    '/$p/-/forms/$form/settings',
    '/admin/$',
  ])
})

describe('the router', () => {
  beforeAll(() => {
    router.update({ ...router.options, history: createMemoryHistory({ initialEntries: ['/login'] }) })
  })
  const routeOf = (path: string) => router.matchRoutes(path, {}).at(-1)?.fullPath

  it.each([
    ['/acme/-/settings', '/$p/-/settings'],
    ['/acme/-/members', '/$p/-/members'],
    ['/acme/-/members/0123456789abcdef01234567', '/$p/-/members/$id'],
    ['/acme/-/invitations', '/$p/-/invitations'],
    ['/acme/-/roles', '/$p/-/roles'],
    ['/acme/-/security', '/$p/-/security'],
    ['/acme/-/sso', '/$p/-/sso'],
    ['/acme/-/group-roles', '/$p/-/group-roles'],
    ['/acme/-/scim', '/$p/-/scim'],
    ['/acme/-/audit-log', '/$p/-/audit-log'],
    ['/acme/-/api-keys', '/$p/-/api-keys'],
    ['/acme/-/storage', '/$p/-/storage'],
    ['/acme/-/images', '/$p/-/images'],
    ['/acme/-/moves', '/$p/-/moves'],
    ['/acme/-/moves/0123', '/$p/-/moves/$move'],
    ['/acme/-/moves/0123/plan', '/$p/-/moves/$move/plan'],
    ['/acme/-/moves/0123/site', '/$p/-/moves/$move/site'],
    ['/acme/-/export', '/$p/-/export'],
    ['/acme/-/jobs', '/$p/-/jobs'],
    ['/acme/-/assets', '/$p/-/assets'],
    ['/acme/-/forms', '/$p/-/forms'],
    ['/acme/-/forms/0123', '/$p/-/forms/$form'],
    ['/acme/-/forms/0123/fields', '/$p/-/forms/$form/fields'],
    ['/acme/-/apps/new', '/$p/-/apps/new'],
    ['/acme/blog/-/settings', '/$p/$a/-/settings'],
    ['/acme/blog/-/template', '/$p/$a/-/template'],
    ['/acme/blog/-/members', '/$p/$a/-/members'],
    ['/acme/blog/-/invitations', '/$p/$a/-/invitations'],
    ['/acme/blog/-/requests', '/$p/$a/-/requests'],
    ['/acme/blog/-/roles', '/$p/$a/-/roles'],
    ['/acme/blog/-/import', '/$p/$a/-/import'],
    ['/acme/blog/-/import/0123', '/$p/$a/-/import/$move'],
    ['/acme/blog/-/export', '/$p/$a/-/export'],
    ['/acme/blog/-/models/new', '/$p/$a/-/models/new'],
    ['/acme/blog/-/models/import', '/$p/$a/-/models/import'],
    ['/acme/blog/-/custom-types', '/$p/$a/-/custom-types'],
    ['/acme/blog/-/custom-types/0123', '/$p/$a/-/custom-types/$id'],
    ['/acme/blog/article/-/model', '/$p/$a/$m/-/model'],
    ['/acme/blog/article/-/trash', '/$p/$a/$m/-/trash'],
    ['/acme/blog/article/-/duplicate', '/$p/$a/$m/-/duplicate'],
    ['/acme/blog/article/-/code', '/$p/$a/$m/-/code'],
    ['/admin/settings', '/admin/settings'],
    ['/admin/spaces', '/admin/spaces'],
    ['/admin/accounts', '/admin/accounts'],
    ['/admin/mails', '/admin/mails'],
    ['/admin/jobs', '/admin/jobs'],
    ['/admin/audit-log', '/admin/audit-log'],
    // These paths redirect. features/shell/guards.test.tsx checks their targets.
    ['/acme/settings', '/$p/settings'],
    ['/acme/settings/members', '/$p/settings/members'],
    ['/acme/settings/api-keys', '/$p/settings/api-keys'],
    ['/acme/blog/settings', '/$p/$a/settings'],
    ['/acme/blog/models/new', '/$p/$a/models/new'],
    ['/acme/blog/article/model', '/$p/$a/$m/model'],
    ['/acme/blog/article/trash', '/$p/$a/$m/trash'],
  ])('resolves the URL %s to the route %s', (path, route) => {
    expect(routeOf(path)).toBe(route)
  })

  it.each([
    ['/acme/-', '/$p/-/'],
    ['/acme/-/', '/$p/-/'],
    ['/acme/blog/-', '/$p/$a/-/'],
    ['/admin', '/admin/'],
  ])('resolves the URL %s of a settings overview to the route %s', (path, route) => {
    expect(routeOf(path)).toBe(route)
  })

  it.each([
    ['/acme/-/usage', '/$p/-/$'],
    ['/acme/-/members/a/b', '/$p/-/$'],
    ['/acme/-/usage/of/storage/and/more', '/$p/-/$'],
    ['/acme/blog/-/usage', '/$p/$a/-/$'],
    ['/acme/blog/article/-/usage', '/$p/$a/$m/-/$'],
    ['/acme/blog/article/-', '/$p/$a/$m/-/$'],
    ['/admin/usage', '/admin/$'],
  ])('resolves the URL of an unknown page to a catch-all route: %s', (path, route) => {
    expect(routeOf(path)).toBe(route)
  })
})
