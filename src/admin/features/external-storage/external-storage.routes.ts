import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const externalStorageRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/storage',
  component: lazyPage(() => import('./external-storage-page.tsx'), 'ExternalStoragePage', loadEditingTexts),
})

export const externalStorageRoutes = [externalStorageRoute] as const
