import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** Children of the space's settings: `/{p}/-/scim`. */
export const scimRoutes = [
  createRoute({
    getParentRoute: () => spaceSettingsRoute,
    path: '/-/scim',
    component: lazyPage(() => import('./scim-page.tsx'), 'ScimPage', loadEditingTexts),
  }),
] as const
