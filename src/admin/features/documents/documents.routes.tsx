import { createRoute } from '@tanstack/react-router'
import { modelRoute } from '#admin/features/shell/shell.routes.tsx'
import { lazyPage } from '#admin/lib/lazy-page.ts'

/** `/{p}/{a}/{m}` */
const documentListRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/',
  component: lazyPage(() => import('./document-list-page.tsx'), 'DocumentListPage'),
})

/** `/{p}/{a}/{m}/new` */
const newDocumentRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/new',
  component: lazyPage(() => import('./document-editor-page.tsx'), 'DocumentEditorPage'),
})

/** `/{p}/{a}/{m}/{id}` */
const documentRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/$id',
  component: lazyPage(() => import('./document-editor-page.tsx'), 'DocumentEditorPage'),
})

/** Children of the model's route. */
export const documentRoutes = [documentListRoute, newDocumentRoute, documentRoute] as const
