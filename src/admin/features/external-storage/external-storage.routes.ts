import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/storage` */
const externalStorageRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/storage',
  component: lazyPage(() => import('./external-storage-page.tsx'), 'ExternalStoragePage', loadEditingTexts),
})

/** Children of the space's settings. */
export const externalStorageRoutes = [externalStorageRoute] as const
