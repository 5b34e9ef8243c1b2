import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/images` */
const imageSettingsRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/images',
  component: lazyPage(() => import('./image-settings-page.tsx'), 'ImageSettingsPage', loadEditingTexts),
})

/** Children of the space's route. */
export const imageSettingsRoutes = [imageSettingsRoute] as const
