import { createRoute } from '@tanstack/react-router'
import { appRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/{a}/-/export` */
const appExportRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/export',
  component: lazyPage(() => import('./pages.ts'), 'AppExportPage', loadEditingTexts),
})

/** `/{p}/-/export` */
const spaceExportRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/export',
  component: lazyPage(() => import('./pages.ts'), 'SpaceExportPage', loadEditingTexts),
})

/** Children of the app's route. */
export const appExportsRoutes = [appExportRoute] as const
/** Children of the space's route. */
export const spaceExportsRoutes = [spaceExportRoute] as const
