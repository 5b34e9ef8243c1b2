import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute, spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const appExportRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/export',
  component: lazyPage(() => import('./pages.ts'), 'AppExportPage', loadEditingTexts),
})

const spaceExportRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/export',
  component: lazyPage(() => import('./pages.ts'), 'SpaceExportPage', loadEditingTexts),
})

export const appExportsRoutes = [appExportRoute] as const
export const spaceExportsRoutes = [spaceExportRoute] as const
