import { createRoute } from '@tanstack/react-router'
import { accountRoute } from '#admin/features/shell/shell.routes.tsx'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const spacesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/spaces',
  component: lazyPage(() => import('./spaces-page.tsx'), 'SpacesPage'),
})

const newSpaceRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/spaces/new',
  component: lazyPage(() => import('./new-space-page.tsx'), 'NewSpacePage'),
})

/** Children of the signed-in route. */
export const spacesRoutes = [spacesRoute, newSpaceRoute] as const
