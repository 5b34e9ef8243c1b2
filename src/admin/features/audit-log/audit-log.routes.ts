import { createRoute } from '@tanstack/react-router'
import { requireAdmin } from '#admin/features/shell/guards.ts'
import { accountRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/audit-log`; what is looked for stands in the address. */
const auditLogRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/audit-log',
  component: lazyPage(() => import('./audit-log-page.tsx'), 'AuditLogPage', loadEditingTexts),
})

/** `/admin/audit-log`, for the installation's admin. */
const installationAuditLogRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/admin/audit-log',
  beforeLoad: ({ location }) => requireAdmin({ location }),
  component: lazyPage(() => import('./audit-log-page.tsx'), 'InstallationAuditLogPage', loadEditingTexts),
})

/** Children of the signed-in route. */
export const installationAuditLogRoutes = [installationAuditLogRoute] as const

/** Children of the space's route. */
export const auditLogRoutes = [auditLogRoute] as const
