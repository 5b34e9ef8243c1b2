import { createRoute } from '@tanstack/react-router'
import { installationSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

export const installationRoutes = [
  createRoute({
    getParentRoute: () => installationSettingsRoute,
    path: '/admin/settings',
    component: lazyPage(() => import('./pages.ts'), 'InstallationSettingsPage', loadEditingTexts),
  }),
  createRoute({
    getParentRoute: () => installationSettingsRoute,
    path: '/admin/mails',
    component: lazyPage(() => import('./pages.ts'), 'MailsPage', loadEditingTexts),
  }),
  createRoute({
    getParentRoute: () => installationSettingsRoute,
    path: '/admin/spaces',
    component: lazyPage(() => import('./pages.ts'), 'AllSpacesPage', loadEditingTexts),
  }),
  createRoute({
    getParentRoute: () => installationSettingsRoute,
    path: '/admin/accounts',
    component: lazyPage(() => import('./pages.ts'), 'AccountsPage', loadEditingTexts),
  }),
] as const
