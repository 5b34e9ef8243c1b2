import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute, spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const movesRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/moves',
  component: lazyPage(() => import('./moves-page.tsx'), 'MovesPage', loadEditingTexts),
})

const moveRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/moves/$move',
  component: lazyPage(() => import('./move-page.tsx'), 'MovePage', loadEditingTexts),
})

const planRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/moves/$move/plan',
  component: lazyPage(() => import('./plan/move-plan-page.tsx'), 'MovePlanPage', loadEditingTexts),
})

const siteRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/moves/$move/site',
  component: lazyPage(() => import('./site/site-page.tsx'), 'SitePage', loadEditingTexts),
})

const appImportRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/import',
  component: lazyPage(() => import('./app-import-page.tsx'), 'AppImportPage', loadEditingTexts),
})

const oneImportRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/import/$move',
  component: lazyPage(() => import('./app-import-page.tsx'), 'OneImportPage', loadEditingTexts),
})

export const movesRoutes = [movesRoute, moveRoute, planRoute, siteRoute] as const
export const appMovesRoutes = [appImportRoute, oneImportRoute] as const
