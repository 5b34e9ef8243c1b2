import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute, spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/{a}/-/export` */
const appExportRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/export',
  component: lazyPage(() => import('./pages.ts'), 'AppExportPage', loadEditingTexts),
})

/** `/{p}/-/export` */
const spaceExportRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/export',
  component: lazyPage(() => import('./pages.ts'), 'SpaceExportPage', loadEditingTexts),
})

/** Children of the app's settings. */
export const appExportsRoutes = [appExportRoute] as const
/** Children of the space's settings. */
export const spaceExportsRoutes = [spaceExportRoute] as const
