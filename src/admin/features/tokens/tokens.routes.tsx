import { createRoute } from '@tanstack/react-router'
import { spaceSettingsRoute } from '#admin/features/shell/settings/settings.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const tokensRoute = createRoute({
  getParentRoute: () => spaceSettingsRoute,
  path: '/-/api-keys',
  component: lazyPage(() => import('./tokens-page.tsx'), 'TokensPage', loadEditingTexts),
})

export const tokensRoutes = [tokensRoute] as const
