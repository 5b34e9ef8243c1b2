import { createRoute } from '@tanstack/react-router'
import { appRoute, rootRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/invitations` */
const spaceInvitationsRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/invitations',
  component: lazyPage(() => import('./invitations-page.tsx'), 'InvitationsPage', loadEditingTexts),
})

/** `/{p}/{a}/-/invitations` */
const appInvitationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/invitations',
  component: lazyPage(() => import('./invitations-page.tsx'), 'AppInvitationsPage', loadEditingTexts),
})

/** `/{p}/invitation?code=`: for whoever was invited, signed in or not. */
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$p/invitation',
  validateSearch: (search: Record<string, unknown>): { code?: string } =>
    typeof search.code === 'string' ? { code: search.code } : {},
  component: lazyPage(() => import('./invitation-page.tsx'), 'InvitationPage', loadEditingTexts),
})

/** Children of the root. */
export const invitationRoutes = [invitationRoute] as const
/** Children of the space's route. */
export const spaceInvitationsRoutes = [spaceInvitationsRoute] as const
/** Children of the app's route. */
export const appInvitationsRoutes = [appInvitationsRoute] as const
