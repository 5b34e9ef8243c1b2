import { createRoute } from '@tanstack/react-router'
import { appSettingsRoute, spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const membersRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/members',
  component: lazyPage(() => import('./members-page.tsx'), 'MembersPage', loadEditingTexts),
})

/** `/{p}/-/members/{id}`: a member's rights. */
const memberRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/members/$id',
  component: lazyPage(() => import('./member-page.tsx'), 'MemberPage', loadEditingTexts),
})

const appMembersRoute = createRoute({
  getParentRoute: () => appSettingsRoute,
  path: '/-/members',
  component: lazyPage(() => import('./app-members-page.tsx'), 'AppMembersPage', loadEditingTexts),
})

export const membersRoutes = [membersRoute, memberRoute] as const
export const appMembersRoutes = [appMembersRoute] as const
