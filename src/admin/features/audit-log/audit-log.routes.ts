import { createRoute } from '@tanstack/react-router'
import {
  installationSettingsRoute,
  spaceSettingsRoute,
} from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/audit-log`, with the filters in the query string. */
const auditLogRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/audit-log',
  component: lazyPage(() => import('./audit-log-page.tsx'), 'AuditLogPage', loadEditingTexts),
})

/** `/admin/audit-log`, for the installation's admin. */
const installationAuditLogRoute = createRoute({
  getParentRoute: () => installationSettingsRoute,
  path: '/admin/audit-log',
  component: lazyPage(() => import('./audit-log-page.tsx'), 'InstallationAuditLogPage', loadEditingTexts),
})

export const installationAuditLogRoutes = [installationAuditLogRoute] as const

export const auditLogRoutes = [auditLogRoute] as const
