import { createRoute } from '@tanstack/react-router'
import { requireAdmin } from '#admin/features/shell/guards.ts'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'
import { NotFound } from '../not-found.tsx'
import { accountRoute, appRoute, modelRoute, spaceRoute } from '../shell.routes.tsx'

const areas = () => import('./settings-area.tsx')

/** The layout route of all settings of a space, with the list of sections (sections.ts). */
export const spaceSettingsRoute = createRoute({
  getParentRoute: () => spaceRoute,
  id: 'settings',
  staticData: { settingsOf: 'space' },
  component: lazyPage(areas, 'SpaceSettings', loadEditingTexts),
})

/** The layout route of all settings of an app. */
export const appSettingsRoute = createRoute({
  getParentRoute: () => appRoute,
  id: 'settings',
  staticData: { settingsOf: 'app' },
  component: lazyPage(areas, 'AppSettings', loadEditingTexts),
})

/** The layout route of the installation's settings, for its admins. */
export const installationSettingsRoute = createRoute({
  getParentRoute: () => accountRoute,
  id: 'installation',
  staticData: { settingsOf: 'installation' },
  beforeLoad: ({ location }) => requireAdmin({ location }),
  component: lazyPage(areas, 'InstallationSettings', loadEditingTexts),
})

/**
 * `/{p}/-`, `/{p}/{a}/-`, `/admin`: the lists of settings sections as separate pages. The area components render them.
 */
export const spaceOverviewRoute = createRoute({ getParentRoute: () => spaceSettingsRoute, path: '/-/' })
export const appOverviewRoute = createRoute({ getParentRoute: () => appSettingsRoute, path: '/-/' })
export const installationOverviewRoute = createRoute({
  getParentRoute: () => installationSettingsRoute,
  path: '/admin/',
})

/** Unknown pages below `-` and `/admin`. Such a path must not match an app or a model. */
export const unknownSpacePageRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/$',
  component: NotFound,
})
export const unknownAppPageRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/$',
  component: NotFound,
})
export const unknownModelPageRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/-/$',
  component: NotFound,
})
export const unknownInstallationPageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/admin/$',
  beforeLoad: ({ location }) => requireAdmin({ location }),
  component: NotFound,
})

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /**
     * Set on the route of a settings area. The navigation rail reads it from the route matches, to mark its link as
     * current.
     */
    settingsOf?: 'space' | 'app' | 'installation'
  }
}
