import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** Children of the space's route: `/{p}/-/scim`. */
export const scimRoutes = [
  createRoute({
    getParentRoute: () => spaceRoute,
    path: '/-/scim',
    component: lazyPage(() => import('./scim-page.tsx'), 'ScimPage', loadEditingTexts),
  }),
] as const
