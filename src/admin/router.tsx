import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from './features/account/account.routes.tsx'
import { apiKeysRoutes } from './features/api-keys/api-keys.routes.tsx'
import { appPagesRoutes, spaceAppsRoutes } from './features/apps/apps.routes.tsx'
import { assetRoutes } from './features/assets/assets.routes.tsx'
import { authRoutes } from './features/auth/auth.routes.tsx'
import { documentRoutes } from './features/documents/documents.routes.tsx'
import { jobsRoutes } from './features/jobs/jobs.routes.tsx'
import { appModelsRoutes, modelEditorRoutes } from './features/models/models.routes.tsx'
import { settingsRoutes } from './features/settings/settings.routes.tsx'
import { NotFound } from './features/shell/not-found.tsx'
import { RouteError, RoutePending } from './features/shell/route-states.tsx'
import {
  accountRoute,
  appRoute,
  guestRoute,
  modelRoute,
  rootRoute,
  shellRoutes,
  spaceRoute,
} from './features/shell/shell.routes.tsx'
import { spacesRoutes } from './features/spaces/spaces.routes.tsx'
import { queryClient } from './lib/query-client.ts'
import { parseSearch, stringifySearch } from './lib/search-params.ts'

// Only put together here: each feature declares its own routes.
const routeTree = rootRoute.addChildren([
  ...shellRoutes,
  guestRoute.addChildren([...authRoutes]),
  accountRoute.addChildren([
    ...spacesRoutes,
    ...accountRoutes,
    ...jobsRoutes,
    spaceRoute.addChildren([
      ...spaceAppsRoutes,
      ...settingsRoutes,
      ...apiKeysRoutes,
      ...assetRoutes,
      appRoute.addChildren([
        ...appPagesRoutes,
        ...appModelsRoutes,
        modelRoute.addChildren([...documentRoutes, ...modelEditorRoutes]),
      ]),
    ]),
  ]),
])

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: false,
  // The cache of the queries decides what is fresh; a loader only makes sure that it is there.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultErrorComponent: RouteError,
  defaultPendingComponent: RoutePending,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
