import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute, spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/roles` */
const rolesRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/roles',
  component: lazyPage(() => import('./roles-page.tsx'), 'RolesPage', loadEditingTexts),
})

/** `/{p}/{a}/-/roles` */
const appRolesRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/roles',
  component: lazyPage(() => import('./roles-page.tsx'), 'AppRolesPage', loadEditingTexts),
})

/** Children of the space's settings. */
export const rolesRoutes = [rolesRoute] as const
/** Children of the app's settings. */
export const appRolesRoutes = [appRolesRoute] as const
