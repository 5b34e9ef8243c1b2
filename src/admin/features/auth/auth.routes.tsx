import { createRoute } from '@tanstack/react-router'
import { readGuestSearch } from '#admin/features/shell/guards.ts'
import { guestRoute } from '#admin/features/shell/shell.routes.tsx'
import { lazyPage } from '#admin/lib/lazy-page.ts'

export const loginRoute = createRoute({
  getParentRoute: () => guestRoute,
  path: '/login',
  validateSearch: readGuestSearch,
  component: lazyPage(() => import('./login-page.tsx'), 'LoginPage'),
})

export const signUpRoute = createRoute({
  getParentRoute: () => guestRoute,
  path: '/sign-up',
  validateSearch: readGuestSearch,
  component: lazyPage(() => import('./sign-up-page.tsx'), 'SignUpPage'),
})

/** Children of the guests' route. */
export const authRoutes = [loginRoute, signUpRoute] as const
