import { createRoute } from '@tanstack/react-router'
import { requireAdmin } from '#admin/features/shell/guards.ts'
import { accountRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/admin/jobs`, for the installation's admin */
const installationJobsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/admin/jobs',
  beforeLoad: ({ location }) => requireAdmin({ location }),
  component: lazyPage(() => import('./jobs-page.tsx'), 'JobsPage', loadEditingTexts),
})

/** `/{p}/-/jobs` */
const spaceJobsRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/jobs',
  component: lazyPage(() => import('./jobs-page.tsx'), 'SpaceJobsPage', loadEditingTexts),
})

/** Children of the space's route. */
export const spaceJobsRoutes = [spaceJobsRoute] as const

/** Children of the signed-in route. */
export const jobsRoutes = [installationJobsRoute] as const
