import { createRoute } from '@tanstack/react-router'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/{a}/-/export` */
const appExportRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/export',
  component: lazyPage(() => import('./app-export-page.tsx'), 'AppExportPage', loadEditingTexts),
})

/** Children of the app's route. */
export const appExportsRoutes = [appExportRoute] as const
