import { Store } from '#admin/base/store.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import { fieldSchema } from '#shared/fields/index.ts'
import { DocumentSaver } from './document-saver.ts'
import type { DocumentStore } from './document-store.ts'
import type { EditorContextValue } from './editor-context.ts'

const fields = [
  { uid: 'title', name: 'タイトル', type: 'TEXT', required: true, maxLength: 10 },
  { uid: 'body', name: '本文', type: 'RICH_TEXT' },
  { uid: 'tags', name: 'タグ', type: 'TEXT', multiple: true, maxLength: 3 },
  { uid: 'price', name: '価格', type: 'NUMBER', max: 100 },
].map((field, index) => fieldSchema.parse({ ...field, _id: String(index + 1).padStart(24, '0') }))

/** For tests: a model of four fields. */
export const testModel: Model = {
  _id: 'f'.repeat(24),
  uid: 'article',
  name: '記事',
  description: '',
  fields,
  titleField: fields[0]?._id ?? null,
  version: 1,
  conversion: null,
  documentCount: 0,
  publishedCount: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

/** For tests: the uids of space, app and model. */
export const testPlace = { p: 'kawa', a: 'blog', m: 'article' }

/** For tests: returns a saved draft with these values, in the form of a server response. */
export function testDocument(version: number, values: Record<string, unknown>): Document {
  return {
    _id: 'a'.repeat(24),
    _sys: {
      version,
      status: 'draft',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      firstPublishedAt: null,
      publishedAt: null,
      customOrder: null,
      createdBy: null,
      updatedBy: { _id: 'b'.repeat(24), name: '太郎' },
    },
    ...values,
  }
}

/** For tests: returns the context of an editor of the store's document, which the user can edit. */
export function testContext(
  store: DocumentStore,
  { model = testModel, ...changes }: Partial<EditorContextValue> = {},
): EditorContextValue {
  return {
    model,
    place: testPlace,
    store,
    saver: new DocumentSaver(model, testPlace, store),
    tab: new Store<string | null>(null),
    readOnly: false,
    readOnlyFields: new Set(),
    over: null,
    ...changes,
  }
}
