import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/-/api-keys` */
const tokensRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/api-keys',
  component: lazyPage(() => import('./tokens-page.tsx'), 'TokensPage', loadEditingTexts),
})

/** Children of the space's route. */
export const tokensRoutes = [tokensRoute] as const
