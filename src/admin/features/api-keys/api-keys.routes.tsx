import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/api-keys` */
const apiKeysRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/api-keys',
  component: lazyPage(() => import('./api-keys-page.tsx'), 'ApiKeysPage'),
})

/** Children of the space's route. */
export const apiKeysRoutes = [apiKeysRoute] as const
