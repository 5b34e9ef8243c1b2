import { createRoute } from '@tanstack/react-router'
import { appRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/roles` */
const rolesRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/roles',
  component: lazyPage(() => import('./roles-page.tsx'), 'RolesPage', loadEditingTexts),
})

/** `/{p}/{a}/-/roles` */
const appRolesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/roles',
  component: lazyPage(() => import('./roles-page.tsx'), 'AppRolesPage', loadEditingTexts),
})

/** Children of the space's route. */
export const rolesRoutes = [rolesRoute] as const
/** Children of the app's route. */
export const appRolesRoutes = [appRolesRoute] as const
