import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** Children of the space's route: `/{p}/-/group-roles`. */
export const groupRolesRoutes = [
  createRoute({
    getParentRoute: () => spaceRoute,
    path: '/-/group-roles',
    component: lazyPage(() => import('./group-roles-page.tsx'), 'GroupRolesPage', loadEditingTexts),
  }),
] as const
