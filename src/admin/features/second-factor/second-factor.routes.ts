import { createRoute } from '@tanstack/react-router'
import { accountRoute, guestRoute, rootRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** Children of the visitors' route: `/two-factor-authentication`, the second step of signing in. */
export const secondStepRoutes = [
  createRoute({
    getParentRoute: () => guestRoute,
    path: '/two-factor-authentication',
    component: lazyPage(() => import('./second-step-page.tsx'), 'SecondStepPage', loadEditingTexts),
  }),
] as const

/** The page that a reset link opens, for visitors and signed-in users. */
export const factorResetRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/two-factor-authentication/reset',
    component: lazyPage(() => import('./reset-page.tsx'), 'ResetFactorPage', loadEditingTexts),
  }),
] as const

/** Children of the signed-in route: `/account/two-factor`. */
export const secondFactorRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: '/account/two-factor',
    component: lazyPage(() => import('./second-factor-page.tsx'), 'SecondFactorPage', loadEditingTexts),
  }),
] as const
