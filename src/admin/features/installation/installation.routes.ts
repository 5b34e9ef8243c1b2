import { createRoute } from '@tanstack/react-router'
import { requireAdmin } from '#admin/features/shell/guards.ts'
import { accountRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** Children of the signed-in route, for the installation's admins. */
export const installationRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: '/admin/settings',
    beforeLoad: ({ location }) => requireAdmin({ location }),
    component: lazyPage(() => import('./pages.ts'), 'InstallationSettingsPage', loadEditingTexts),
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: '/admin/mails',
    beforeLoad: ({ location }) => requireAdmin({ location }),
    component: lazyPage(() => import('./pages.ts'), 'MailsPage', loadEditingTexts),
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: '/admin/accounts',
    beforeLoad: ({ location }) => requireAdmin({ location }),
    component: lazyPage(() => import('./pages.ts'), 'AccountsPage', loadEditingTexts),
  }),
] as const
