import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/security` */
const securityRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/security',
  component: lazyPage(() => import('./security-page.tsx'), 'SecurityPage', loadEditingTexts),
})

/** Children of the space's route. */
export const securityRoutes = [securityRoute] as const
