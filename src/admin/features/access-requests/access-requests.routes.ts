import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const requestsRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/requests',
  component: lazyPage(() => import('./access-requests-page.tsx'), 'AccessRequestsPage', loadEditingTexts),
})

export const accessRequestsRoutes = [requestsRoute] as const
