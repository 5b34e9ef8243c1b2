import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { cleanup, screen } from '@testing-library/react'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { appsQuery, spaceQuery, spaceRoleQuery } from '#admin/lib/queries.ts'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { NotFound } from './not-found.tsx'

afterEach(cleanup)
// A dynamic import that is still pending at the end of this file would fail in later files.
afterAll(() => vi.dynamicImportSettled())

/** Shows the page at `href` to a member of the space `pond`, which has the app `blog`. Returns its heading. */
async function show(href: string, held: string[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(spaceQuery('pond').queryKey, { uid: 'pond', name: '池' } as never)
  client.setQueryData(spaceRoleQuery('pond').queryKey, { uid: 'pjt', rights: [], held } as never)
  client.setQueryData(appsQuery('pond').queryKey, [{ uid: 'blog' }] as never)
  const root = createRootRoute()
  const paths = ['/$p', '/$p/$a', '/$p/$a/$m', '/$p/-/$', '/$p/$a/-/$'] as const
  const routes = paths.map((path) => createRoute({ getParentRoute: () => root, path, component: NotFound }))
  const router = createRouter({
    routeTree: root.addChildren(routes),
    history: createMemoryHistory({ initialEntries: [href] }),
  })
  await renderInAdmin(
    <QueryClientProvider client={client}>
      {/* `RouterProvider` is typed for the admin's own router. */}
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  return (await screen.findByRole('heading', { level: 2 })).textContent
}

const button = { name: '参加をリクエストする' }
const settings = () => screen.queryByRole('link', { name: '設定の一覧へ' })

describe('NotFound for an app that is not in the list', () => {
  it.each(['/pond/secret', '/pond/secret/article', '/pond/secret/-/usage'])(
    'offers a request for access to a member who does not see every app: %s',
    async (href) => {
      expect(await show(href, ['space.view'])).toBe('見つからないか、参加していないAppです')
      expect(await screen.findByRole('button', button)).toBeTruthy()
      expect(settings()).toBeNull()
    },
  )

  it.each(['/pond/secret', '/pond/secret/article', '/pond/secret/-/usage'])(
    'states that the app does not exist to a member who sees every app: %s',
    async (href) => {
      expect(await show(href, ['space.view', 'document.read'])).toBe('このAppはありません')
      await vi.dynamicImportSettled()
      expect(screen.queryByRole('button', button)).toBeNull()
      expect(settings()).toBeNull()
    },
  )
})

describe('NotFound for an unknown page below a reserved segment', () => {
  it.each(['/pond/-/usage', '/pond/blog/-/usage'])('links to the settings: %s', async (href) => {
    expect(await show(href, ['space.view'])).toBe('このページはありません')
    expect(settings()).toBeTruthy()
  })

  it('shows no link to settings if the space does not exist', async () => {
    expect(await show('/nowhere/-/usage', [])).toBe('お探しのページはありません')
    expect(settings()).toBeNull()
  })
})
