import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute, spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { rootRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const spaceInvitationsRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/invitations',
  component: lazyPage(() => import('./invitations-page.tsx'), 'InvitationsPage', loadEditingTexts),
})

const appInvitationsRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/invitations',
  component: lazyPage(() => import('./invitations-page.tsx'), 'AppInvitationsPage', loadEditingTexts),
})

/** `/{p}/invitation?code=`: for the invited user, signed in or not. */
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$p/invitation',
  validateSearch: (search: Record<string, unknown>): { code?: string } =>
    typeof search.code === 'string' ? { code: search.code } : {},
  component: lazyPage(() => import('./invitation-page.tsx'), 'InvitationPage', loadEditingTexts),
})

export const invitationRoutes = [invitationRoute] as const
export const spaceInvitationsRoutes = [spaceInvitationsRoute] as const
export const appInvitationsRoutes = [appInvitationsRoute] as const
