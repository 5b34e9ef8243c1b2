import { createRoute } from '@tanstack/react-router'
import { accountRoute, rootRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const securityRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/account/security',
  component: lazyPage(() => import('./security-page.tsx'), 'SecurityPage', loadEditingTexts),
})

/** The routes of mailed links, and of the form to request a new password, for visitors and signed-in users. */
export const mailLinkRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/confirm',
    component: lazyPage(() => import('./pages.ts'), 'ConfirmPage', loadEditingTexts),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/forgot-password',
    component: lazyPage(() => import('./pages.ts'), 'ForgotPasswordPage', loadEditingTexts),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset-password',
    component: lazyPage(() => import('./pages.ts'), 'ResetPasswordPage', loadEditingTexts),
  }),
] as const

/** Children of the signed-in route. */
export const accountSecurityRoutes = [securityRoute] as const
