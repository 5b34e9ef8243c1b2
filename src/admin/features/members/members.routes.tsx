import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/members` */
const membersRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/members',
  component: lazyPage(() => import('./members-page.tsx'), 'MembersPage'),
})

/** Children of the space's route. */
export const membersRoutes = [membersRoute] as const
