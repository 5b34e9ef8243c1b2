import { createRoute } from '@tanstack/react-router'
import { appRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/members` */
const membersRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/members',
  component: lazyPage(() => import('./members-page.tsx'), 'MembersPage', loadEditingTexts),
})

/** `/{p}/-/members/{id}`: what somebody may do. */
const memberRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/members/$id',
  component: lazyPage(() => import('./member-page.tsx'), 'MemberPage', loadEditingTexts),
})

/** `/{p}/{a}/-/members` */
const appMembersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/members',
  component: lazyPage(() => import('./app-members-page.tsx'), 'AppMembersPage', loadEditingTexts),
})

/** Children of the space's route. */
export const membersRoutes = [membersRoute, memberRoute] as const
/** Children of the app's route. */
export const appMembersRoutes = [appMembersRoute] as const
