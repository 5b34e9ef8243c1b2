import { createRoute } from '@tanstack/react-router'
import { appRoute, modelRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/{a}/-/models/import` */
const importModelRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/models/import',
  component: lazyPage(() => import('./pages.ts'), 'ImportModelPage', loadEditingTexts),
})

/** `/{p}/{a}/{m}/-/duplicate` */
const duplicateModelRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/-/duplicate',
  component: lazyPage(() => import('./pages.ts'), 'DuplicateModelPage', loadEditingTexts),
})

/** `/{p}/{a}/{m}/-/code` */
const modelCodeRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/-/code',
  component: lazyPage(() => import('./pages.ts'), 'ModelCodePage', loadEditingTexts),
})

/** Children of the app's route. */
export const appModelCopiesRoutes = [importModelRoute] as const
/** Children of the model's route. */
export const modelCopiesRoutes = [duplicateModelRoute, modelCodeRoute] as const
