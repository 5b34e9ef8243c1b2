import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/storage` */
const externalStorageRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/storage',
  component: lazyPage(() => import('./external-storage-page.tsx'), 'ExternalStoragePage', loadEditingTexts),
})

/** Children of the space's route. */
export const externalStorageRoutes = [externalStorageRoute] as const
