import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute, spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/moves` */
const movesRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/moves',
  component: lazyPage(() => import('./moves-page.tsx'), 'MovesPage', loadEditingTexts),
})

/** `/{p}/-/moves/{move}` */
const moveRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/moves/$move',
  component: lazyPage(() => import('./move-page.tsx'), 'MovePage', loadEditingTexts),
})

/** `/{p}/-/moves/{move}/plan` */
const planRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/moves/$move/plan',
  component: lazyPage(() => import('./plan/plan-page.tsx'), 'PlanPage', loadEditingTexts),
})

/** `/{p}/-/moves/{move}/site` */
const siteRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/moves/$move/site',
  component: lazyPage(() => import('./site/site-page.tsx'), 'SitePage', loadEditingTexts),
})

/** `/{p}/{a}/-/import` */
const appImportRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/import',
  component: lazyPage(() => import('./app-import-page.tsx'), 'AppImportPage', loadEditingTexts),
})

/** `/{p}/{a}/-/import/{move}` */
const oneImportRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/import/$move',
  component: lazyPage(() => import('./app-import-page.tsx'), 'OneImportPage', loadEditingTexts),
})

/** Children of the space's settings. */
export const movesRoutes = [movesRoute, moveRoute, planRoute, siteRoute] as const
/** Children of the app's settings. */
export const appMovesRoutes = [appImportRoute, oneImportRoute] as const
