import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { rootRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/**
 * For visitors and for accounts signed in by other means: `/sso/login`, `/sso/verify`, and `/connected`, the last page
 * of a popup.
 */
export const ssoSignInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sso/login',
    component: lazyPage(() => import('./pages.ts'), 'SsoLoginPage', loadEditingTexts),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sso/verify',
    component: lazyPage(() => import('./pages.ts'), 'SsoVerifyPage', loadEditingTexts),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/connected',
    component: lazyPage(() => import('./pages.ts'), 'ConnectedPage', loadEditingTexts),
  }),
] as const

/** Children of the space's settings: `/{p}/-/sso`. */
export const ssoRoutes = [
  createRoute({
    getParentRoute: () => spaceSettingsRoute,
    path: '/-/sso',
    component: lazyPage(() => import('./sso-page.tsx'), 'SsoPage', loadEditingTexts),
  }),
] as const
