import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const imageSettingsRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/images',
  component: lazyPage(() => import('./image-settings-page.tsx'), 'ImageSettingsPage', loadEditingTexts),
})

export const imageSettingsRoutes = [imageSettingsRoute] as const
