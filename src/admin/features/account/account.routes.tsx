import { createRoute } from '@tanstack/react-router'
import { accountRoute } from '#admin/features/shell/shell.routes.tsx'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/account` */
const ownAccountRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/account',
  component: lazyPage(() => import('./account-page.tsx'), 'AccountPage'),
})

/** Children of the signed-in route. */
export const accountRoutes = [ownAccountRoute] as const
