import { createRoute, redirect } from '@tanstack/react-router'
import { readGuestSearch } from '#admin/features/shell/guards.ts'
import { accountRoute, guestRoute, rootRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'
import { signupStateQuery } from './signup-state.ts'

export const loginRoute = createRoute({
  getParentRoute: () => guestRoute,
  path: '/login',
  validateSearch: readGuestSearch,
  // A new installation has no account to sign in with.
  beforeLoad: async ({ context: { queryClient }, search }) => {
    const state = await queryClient.fetchQuery(signupStateQuery()).catch(() => null)
    if (state?.firstAccount) throw redirect({ to: '/sign-up', search, replace: true })
  },
  component: lazyPage(() => import('./login-page.tsx'), 'LoginPage'),
})

export const signUpRoute = createRoute({
  getParentRoute: () => guestRoute,
  path: '/sign-up',
  validateSearch: readGuestSearch,
  component: lazyPage(() => import('./sign-up-page.tsx'), 'SignUpPage'),
})

/** Opened by a mailed link, for visitors and signed-in users. */
export const finishSignUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up/finish',
  component: lazyPage(() => import('./finish-sign-up-page.tsx'), 'FinishSignUpPage', loadEditingTexts),
})

const ownAccountRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/account',
  component: lazyPage(() => import('./account-page.tsx'), 'AccountPage', loadEditingTexts),
})

export const guestRoutes = [loginRoute, signUpRoute] as const
/** Children of the signed-in route. */
export const ownAccountRoutes = [ownAccountRoute] as const
