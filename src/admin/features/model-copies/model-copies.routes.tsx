import { createRoute } from '@tanstack/react-router'
import { appRoute, modelRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const importModelRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/models/import',
  component: lazyPage(() => import('./pages.ts'), 'ImportModelPage', loadEditingTexts),
})

const duplicateModelRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/-/duplicate',
  component: lazyPage(() => import('./pages.ts'), 'DuplicateModelPage', loadEditingTexts),
})

const modelCodeRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/-/code',
  component: lazyPage(() => import('./pages.ts'), 'ModelCodePage', loadEditingTexts),
})

export const appModelCopiesRoutes = [importModelRoute] as const
export const modelCopiesRoutes = [duplicateModelRoute, modelCodeRoute] as const
