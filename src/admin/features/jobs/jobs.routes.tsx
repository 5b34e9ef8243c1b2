import { createRoute } from '@tanstack/react-router'
import {
  installationSettingsRoute,
  spaceSettingsRoute,
} from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/admin/jobs`, for the installation's admin */
const installationJobsRoute = createRoute({
  getParentRoute: () => installationSettingsRoute,
  path: '/admin/jobs',
  component: lazyPage(() => import('./jobs-page.tsx'), 'JobsPage', loadEditingTexts),
})

const spaceJobsRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/jobs',
  component: lazyPage(() => import('./jobs-page.tsx'), 'SpaceJobsPage', loadEditingTexts),
})

export const spaceJobsRoutes = [spaceJobsRoute] as const

export const jobsRoutes = [installationJobsRoute] as const
