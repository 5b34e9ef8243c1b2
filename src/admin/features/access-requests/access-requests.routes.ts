import { createRoute } from '@tanstack/react-router'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/{a}/-/requests` */
const requestsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/requests',
  component: lazyPage(() => import('./access-requests-page.tsx'), 'AccessRequestsPage', loadEditingTexts),
})

/** Children of the app's route. */
export const accessRequestsRoutes = [requestsRoute] as const
