import { createRoute } from '@tanstack/react-router'
import { appRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/moves` */
const movesRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/moves',
  component: lazyPage(() => import('./moves-page.tsx'), 'MovesPage', loadEditingTexts),
})

/** `/{p}/-/moves/{move}` */
const moveRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/moves/$move',
  component: lazyPage(() => import('./move-page.tsx'), 'MovePage', loadEditingTexts),
})

/** `/{p}/-/moves/{move}/plan` */
const planRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/moves/$move/plan',
  component: lazyPage(() => import('./plan-page.tsx'), 'PlanPage', loadEditingTexts),
})

/** `/{p}/-/moves/{move}/site` */
const siteRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/moves/$move/site',
  component: lazyPage(() => import('./site-page.tsx'), 'SitePage', loadEditingTexts),
})

/** `/{p}/{a}/-/import` */
const appImportRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/import',
  component: lazyPage(() => import('./app-import-page.tsx'), 'AppImportPage', loadEditingTexts),
})

/** `/{p}/{a}/-/import/{move}` */
const oneImportRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/import/$move',
  component: lazyPage(() => import('./app-import-page.tsx'), 'OneImportPage', loadEditingTexts),
})

/** Children of the space's route. */
export const movesRoutes = [movesRoute, moveRoute, planRoute, siteRoute] as const
/** Children of the app's route. */
export const appMovesRoutes = [appImportRoute, oneImportRoute] as const
