import { implement } from '#server/http/endpoints.ts'
import { readIfMatch } from '#server/http/if-match.ts'
import { issueSentence } from '#server/http/sentences.ts'
import { success } from '#shared/contract/common.ts'
import { documentEndpoints } from '#shared/contract/documents.ts'
import { bulkDelete, bulkPublish, bulkRestore, bulkUnpublish } from './bulk/bulk.ts'
import { resetCustomOrder, updateCustomOrder } from './bulk/order.ts'
import { exportDocuments } from './reading/export.ts'
import * as reading from './reading/read.ts'
import { deleteDocument, listTrash } from './trash/trash.ts'
import { listMissingAssets, validateDocument, validateField } from './writing/check.ts'
import { createDocument } from './writing/create.ts'
import { duplicateDocument } from './writing/duplicate.ts'
import { updateDocument } from './writing/update.ts'

export const documentRoutes = implement(documentEndpoints, {
  listDocuments: (ctx, { params }, { queryString, fieldIndexes }) =>
    reading.listDocuments(ctx, params.m, queryString, fieldIndexes),
  exportCsv: (ctx, { params }, { queryString, ...reader }) =>
    exportDocuments(ctx, params.m, queryString, 'csv', reader),
  exportJson: (ctx, { params }, { queryString, ...reader }) =>
    exportDocuments(ctx, params.m, queryString, 'json', reader),
  createDocument: async (ctx, { params, body }) => ({
    document: await createDocument(ctx, params.m, body),
  }),
  getDocument: async (ctx, { params }) => ({
    document: await reading.getDocument(ctx, params.m, params.id),
  }),
  previewDocument: async (ctx, { params, query }) => ({
    document: await reading.readDocument(ctx, params.m, params.id, 'draft', query),
  }),
  updateDocument: (ctx, { params, body }, { ifMatch }) =>
    updateDocument(ctx, params.m, params.id, { ...body, baseVersion: readIfMatch(ifMatch) }),
  duplicateDocument: async (ctx, { params, body }) => ({
    document: await duplicateDocument(ctx, params.m, params.id, body),
  }),
  deleteDocument: async (ctx, { params }) => {
    await deleteDocument(ctx, params.m, params.id)
    return success
  },
  listRevisions: async (ctx, { params, query }) => ({
    revisions: await reading.listRevisions(ctx, params.m, params.id, query),
  }),
  listChangeAuthors: async (ctx, { params, query }) => ({
    authors: await reading.listChangeAuthors(ctx, params.m, params.id, query),
  }),
  getRevision: async (ctx, { params }) => ({
    revision: await reading.getRevision(ctx, params.m, params.id, params.revision),
  }),
  listReferences: (ctx, { params }) => reading.listReferences(ctx, params.m, params.id),
  validateDocument: (ctx, { params, body }) => validateDocument(ctx, params.m, body.doc),
  validateField: async (ctx, { params, body }, { language }) => {
    const problem = await validateField(ctx, params.m, body)
    if (!problem) return { errorMessage: null, code: null, blocksPublishing: false }
    const { told, ...found } = problem
    return { ...found, errorMessage: issueSentence(language, told) }
  },
  listMissingAssets: async (ctx, { params, body }) => ({
    documents: await listMissingAssets(ctx, params.m, body.documentIds),
  }),
  bulkPublish: async (ctx, { params, body }) => ({
    results: await bulkPublish(ctx, params.m, body.documentIds, body.versions),
  }),
  bulkUnpublish: async (ctx, { params, body }) => ({
    results: await bulkUnpublish(ctx, params.m, body.documentIds),
  }),
  bulkDelete: async (ctx, { params, body }) => ({
    results: await bulkDelete(ctx, params.m, body.documentIds),
  }),
  bulkRestore: async (ctx, { params, body }) => ({
    results: await bulkRestore(ctx, params.m, body.documentIds),
  }),
  listTrash: (ctx, { params, query }) => listTrash(ctx, params.m, query),
  updateCustomOrder: async (ctx, { params, body }) => {
    await updateCustomOrder(ctx, params.m, body.documentIds)
    return success
  },
  resetCustomOrder: async (ctx, { params }) => {
    await resetCustomOrder(ctx, params.m)
    return success
  },
})
