import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { accountRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const spacesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/spaces',
  component: lazyPage(() => import('./spaces-page.tsx'), 'SpacesPage'),
})

const newSpaceRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/spaces/new',
  component: lazyPage(() => import('./pages.ts'), 'NewSpacePage'),
})

const settingsRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/settings',
  component: lazyPage(() => import('./pages.ts'), 'SpaceSettingsPage', loadEditingTexts),
})

/** Children of the signed-in route. */
export const spacesRoutes = [spacesRoute, newSpaceRoute] as const
export const spaceSettingsRoutes = [settingsRoute] as const
