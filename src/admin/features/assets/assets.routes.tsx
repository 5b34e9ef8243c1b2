import { createRoute } from '@tanstack/react-router'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'
import { readLibrarySearch } from './library/library-search.ts'

const libraryRoute = createRoute({
  getParentRoute: () => spaceRoute,
  path: '/-/assets',
  validateSearch: readLibrarySearch,
  component: lazyPage(() => import('./library/library-page.tsx'), 'LibraryPage', loadEditingTexts),
})

export const assetRoutes = [libraryRoute] as const
