import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** Children of the space's settings: `/{p}/-/group-roles`. */
export const groupRolesRoutes = [
  createRoute({
    getParentRoute: () => spaceSettingsRoute,
    path: '/-/group-roles',
    component: lazyPage(() => import('./group-roles-page.tsx'), 'GroupRolesPage', loadEditingTexts),
  }),
] as const
