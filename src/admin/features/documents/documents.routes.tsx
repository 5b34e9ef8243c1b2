import { createRoute } from '@tanstack/react-router'
import { modelRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPage } from '#admin/lib/lazy-page.ts'
import type { ListSearch } from './list/list-search.ts'

const documentListRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/',
  // The page itself validates the query, because a URL may contain anything.
  validateSearch: (search): ListSearch => search,
  component: lazyPage(() => import('./document-list-page.tsx'), 'DocumentListPage', loadEditingTexts),
})

const trashRoute = createRoute({
  getParentRoute: () => modelRoute,
  path: '/-/trash',
  component: lazyPage(() => import('./trash/trash-page.tsx'), 'TrashPage', loadEditingTexts),
})

/** The parent route of `/new` and `/{id}`, so that a new document receives its URL without a remount of the editor. */
const editorRoute = createRoute({
  getParentRoute: () => modelRoute,
  id: 'document',
  component: lazyPage(() => import('./document-editor-page.tsx'), 'DocumentEditorPage', loadEditingTexts),
})

/** `/{p}/{a}/{m}/new`. For a day of a calendar: `?field={uid}&day=2026-11-21`. */
const newDocumentRoute = createRoute({
  getParentRoute: () => editorRoute,
  path: '/new',
  // The page itself validates the query, because a URL may contain anything.
  validateSearch: (search): { field?: string; day?: string } => search,
})

/** `/{p}/{a}/{m}/{id}`. Jumps to a field with `?at=sections.2.data.title`. */
const documentRoute = createRoute({
  getParentRoute: () => editorRoute,
  path: '/$id',
  // The page itself validates the query, because a URL may contain anything.
  validateSearch: (search): { at?: string } => search,
})

export const documentRoutes = [
  documentListRoute,
  trashRoute,
  editorRoute.addChildren([newDocumentRoute, documentRoute]),
] as const
