import { createRoute } from '@tanstack/react-router'
import { modelRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'
import type { ListSearch } from './list/list-search.ts'

/** `/{p}/{a}/{m}` */
const documentListRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/',
  // Read by the page, with care: anybody may have written it.
  validateSearch: (search): ListSearch => search,
  component: lazyPage(() => import('./document-list-page.tsx'), 'DocumentListPage', loadEditingTexts),
})

/** `/{p}/{a}/{m}/-/trash` */
const trashRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/-/trash',
  component: lazyPage(() => import('./trash/trash-page.tsx'), 'TrashPage', loadEditingTexts),
})

/** One page for both: a new document that is saved gets its address without starting the editor again. */
const editorRoute = createRoute({
  getParentRoute: () => modelRoute,
  id: 'document',
  component: lazyPage(() => import('./document-editor-page.tsx'), 'DocumentEditorPage', loadEditingTexts),
})

/** `/{p}/{a}/{m}/new`; of a day in a calendar `?field={uid}&day=2026-11-21` */
const newDocumentRoute = createRoute({
  getParentRoute: () => editorRoute,
  path: '/new',
  // Read by the page, with care: anybody may have written it.
  validateSearch: (search): { field?: string; day?: string } => search,
})

/** `/{p}/{a}/{m}/{id}` */
const documentRoute = createRoute({ getParentRoute: () => editorRoute, path: '/$id' })

/** Children of the model's route. */
export const documentRoutes = [
  documentListRoute,
  trashRoute,
  editorRoute.addChildren([newDocumentRoute, documentRoute]),
] as const
