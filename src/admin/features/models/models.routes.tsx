import { createRoute } from '@tanstack/react-router'
import { appRoute, modelRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'

const newModelRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/models/new',
  component: lazyPage(() => import('./new-model-page.tsx'), 'NewModelPage', loadEditingTexts),
})

const modelEditorRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/-/model',
  component: lazyPage(() => import('./model-editor-page.tsx'), 'ModelEditorPage', loadEditingTexts),
})

const customTypesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/custom-types',
  component: lazyPage(() => import('./custom-types/pages.tsx'), 'CustomTypesPage', loadEditingTexts),
})

/** `/{p}/{a}/-/custom-types/{id}`. With `new` as `id`: creates a custom type. */
const customTypeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/-/custom-types/$id',
  component: lazyPage(() => import('./custom-types/pages.tsx'), 'CustomTypePage', loadEditingTexts),
})

export const appModelsRoutes = [newModelRoute, customTypesRoute, customTypeRoute] as const

export const modelEditorRoutes = [modelEditorRoute] as const
