import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/audit-log`; what is looked for stands in the address. */
const auditLogRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/audit-log',
  component: lazyPage(() => import('./audit-log-page.tsx'), 'AuditLogPage', loadEditingTexts),
})

/** Children of the space's route. */
export const auditLogRoutes = [auditLogRoute] as const
