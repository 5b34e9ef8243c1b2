import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const securityRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/security',
  component: lazyPage(() => import('./security-page.tsx'), 'SecurityPage', loadEditingTexts),
})

export const securityRoutes = [securityRoute] as const
