import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute, spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const rolesRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/roles',
  component: lazyPage(() => import('./roles-page.tsx'), 'RolesPage', loadEditingTexts),
})

const appRolesRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/roles',
  component: lazyPage(() => import('./roles-page.tsx'), 'AppRolesPage', loadEditingTexts),
})

export const rolesRoutes = [rolesRoute] as const
export const appRolesRoutes = [appRolesRoute] as const
