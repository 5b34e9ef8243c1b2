import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { appRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}`: the apps of a space. */
const spaceHomeRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/',
  component: lazyPage(() => import('./space-home-page.tsx'), 'SpaceHomePage'),
})

const newAppRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/apps/new',
  component: lazyPage(() => import('./new-app-page.tsx'), 'NewAppPage', loadEditingTexts),
})

/** `/{p}/{a}`: the models of an app. `filling` in the query: `_id` of the job that copies contents to the app. */
const appHomeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  validateSearch: ({ filling }): { filling?: string } => (typeof filling === 'string' ? { filling } : {}),
  component: lazyPage(() => import('./app-home-page.tsx'), 'AppHomePage'),
})

const appGeneralRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/settings',
  component: lazyPage(() => import('./app-settings-page.tsx'), 'AppSettingsPage', loadEditingTexts),
})

const templateUpdateRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/template',
  component: lazyPage(() => import('./template-update-page.tsx'), 'TemplateUpdatePage', loadEditingTexts),
})

export const spaceAppsRoutes = [spaceHomeRoute, newAppRoute] as const
export const appPagesRoutes = [appHomeRoute] as const
export const appSettingsPagesRoutes = [appGeneralRoute, templateUpdateRoute] as const
