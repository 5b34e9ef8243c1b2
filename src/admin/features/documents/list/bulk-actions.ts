import { ApiError, api } from '#admin/lib/api.ts'
import type { BulkResult, Document } from '#shared/contract/documents.ts'
import type { ModelPlace } from '../documents.queries.ts'

export type BulkAction = 'publish' | 'unpublish' | 'delete' | 'restore'

export type { BulkResult }

/** Number of documents per request, small enough to show progress. */
const batchSize = 20
/**
 * Maximum number of documents that "Select all" selects: the server's maximum `limit`, so that one request finds them.
 */
export const maximumSelected = 1000

const routes = {
  publish: 'POST /api/project/{p}/app/{a}/model/{m}/doc/bulkPublish',
  unpublish: 'POST /api/project/{p}/app/{a}/model/{m}/doc/bulkUnpublish',
  delete: 'POST /api/project/{p}/app/{a}/model/{m}/doc/bulkDelete',
  restore: 'POST /api/project/{p}/app/{a}/model/{m}/doc/bulkRestore',
} as const

/**
 * Performs one action on many documents. Never throws: documents of a failed request get its error code, for example
 * `NetworkError`.
 */
export async function runBulk(
  place: ModelPlace,
  action: BulkAction,
  ids: readonly string[],
  onProgress: (done: number) => void,
): Promise<BulkResult[]> {
  const results: BulkResult[] = []
  for (let start = 0; start < ids.length; start += batchSize) {
    const documentIds = ids.slice(start, start + batchSize)
    try {
      const answer = await api(routes[action], { params: { ...place }, body: { documentIds } })
      results.push(...answer.results)
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'InternalServerError'
      results.push(...documentIds.map((_id) => ({ _id, success: false, code })))
    }
    onProgress(results.length)
  }
  return results
}

/** Returns the results of changed documents, and the number of documents that already had the wanted state. */
export function countResults(results: readonly BulkResult[]): { done: BulkResult[]; unchanged: number } {
  const done = results.filter(({ success, unchanged }) => success && !unchanged)
  return { done, unchanged: results.filter(({ unchanged }) => unchanged).length }
}

/** Performs the action on one document and returns its new state. Throws `ApiError` with the reason of a refusal. */
export async function runOne(place: ModelPlace, action: BulkAction, id: string): Promise<Document> {
  const answer = await api(routes[action], { params: { ...place }, body: { documentIds: [id] } })
  const [result] = answer.results
  if (!result?.success) throw new ApiError(400, { code: result?.code, issues: result?.issues })
  const { document } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}', {
    params: { ...place, id },
  })
  return document
}

/** Loads all documents that a query finds, up to `maximumSelected`. */
export async function findAll(place: ModelPlace, query: string) {
  const search = new URLSearchParams(query)
  search.set('limit', String(maximumSelected))
  const { documents } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
    params: { ...place },
    query: search,
  })
  return documents
}
