import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, notFound, Outlet, redirect } from '@tanstack/react-router'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { ApiError } from '#admin/lib/api.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'
import {
  appQuery,
  appRoleQuery,
  appsQuery,
  modelQuery,
  spaceQuery,
  spaceRoleQuery,
} from '#admin/lib/queries.ts'
import { ModalHost } from '#admin/ui/modal-host.tsx'
import { AppEntrance } from './app-entrance.tsx'
import { requireAccount, requireGuest } from './guards.ts'

/** The account check has finished before the router starts (see app.tsx). */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: () => (
    <>
      <Outlet />
      <ModalHost />
    </>
  ),
})

/** The parent of pages for visitors, such as login and sign-up. */
export const guestRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'guest',
  beforeLoad: () => requireGuest(),
})

/** The parent of pages for signed-in users, inside the frame. */
export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: ({ location }) => requireAccount({ location }),
  component: lazyPage(() => import('./frame.tsx'), 'Frame'),
})

/**
 * `/{p}/two-factor-authentication-not-configured`: not a child of the space's route, because the space cannot be
 * opened.
 */
const secondFactorMissingRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/$p/two-factor-authentication-not-configured',
  component: lazyPage(() => import('./space-refused.tsx'), 'SecondFactorMissing', loadEditingTexts),
})

/** Children of the signed-in route. */
export const signedInShellRoutes = [secondFactorMissingRoute] as const

/**
 * Waits for a response. Shows the not-found page for a 404. Redirects users without a second factor to the page that
 * explains that the space requires one. Other failures show the error page.
 */
async function found<T>(p: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw notFound()
    if (error instanceof ApiError && error.code === 'SecondFactorRequired')
      throw redirect({ to: '/$p/two-factor-authentication-not-configured', params: { p }, replace: true })
    throw error
  }
}

/**
 * `/{p}`: a space. Its own pages are below `/{p}/-`, pages of an app below `/{p}/{a}/-`, and pages of a model below
 * `/{p}/{a}/{m}/-`, because no uid begins with `-`. The loader provides the space, the caller's role and the apps, so
 * pages may use `useSuspenseQuery` for them.
 */
export const spaceRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/$p',
  loader: async ({ context: { queryClient }, params: { p } }) => {
    await found(
      p,
      Promise.all([
        queryClient.ensureQueryData(spaceQuery(p)),
        queryClient.ensureQueryData(spaceRoleQuery(p)),
        queryClient.ensureQueryData(appsQuery(p)),
      ]),
    )
  },
})

/** `/{p}/{a}`: an app, with the caller's role in it. */
export const appRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/$a',
  component: AppEntrance,
  loader: async ({ context: { queryClient }, params: { p, a } }) => {
    await found(
      p,
      Promise.all([
        queryClient.ensureQueryData(appQuery(p, a)),
        queryClient.ensureQueryData(appRoleQuery(p, a)),
      ]),
    )
  },
})

/** `/{p}/{a}/{m}`: a model with its fields. */
export const modelRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/$m',
  loader: async ({ context: { queryClient }, params: { p, a, m } }) => {
    await found(p, queryClient.ensureQueryData(modelQuery(p, a, m)))
  },
})

const redirections = (
  [
    ['/', '/spaces'],
    ['/projects', '/spaces'],
    ['/project/new', '/space/new'],
    ['/space/new', '/spaces/new'],
  ] as const
).map(([path, to]) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    beforeLoad: ({ location }) => {
      throw redirect({ to, search: location.search, hash: location.hash, replace: true })
    },
  }),
)

/**
 * Redirects from the former paths of pages. New uids cannot be words such as `settings` in these paths. Matching is
 * case-sensitive, because an older uid such as `Settings` may exist.
 */
const formerAddresses = (
  [
    ['/$p/settings', '/$p/-/settings'],
    ['/$p/settings/members', '/$p/-/members'],
    ['/$p/settings/api-keys', '/$p/-/api-keys'],
    ['/$p/$a/settings', '/$p/$a/-/settings'],
    ['/$p/$a/models/new', '/$p/$a/-/models/new'],
    ['/$p/$a/$m/model', '/$p/$a/$m/-/model'],
    ['/$p/$a/$m/trash', '/$p/$a/$m/-/trash'],
  ] as const
).map(([path, to]) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    caseSensitive: true,
    beforeLoad: ({ location, params }) => {
      throw redirect({ to, params, search: location.search, hash: location.hash, replace: true })
    },
  }),
)

export const shellRoutes = [...redirections, ...formerAddresses]
