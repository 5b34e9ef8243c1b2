import { api } from '#admin/lib/api.ts'
import { assetsChanged } from '#admin/media/assets.queries.ts'

/** The result for one asset. `code`: the error code if `success` is false. */
export interface AssetResult {
  _id: string
  success: boolean
  code?: string | undefined
}

export type BulkWork =
  | { action: 'delete' }
  | { action: 'restore' }
  | { action: 'tag'; add: string[]; remove: string[] }

/** Number of assets per request, small enough to show progress. */
const batchSize = 50

/**
 * Performs one action on many assets and then invalidates cached assets. Never throws: assets of a failed request get
 * its error code.
 */
export async function runBulk(
  p: string,
  work: BulkWork,
  ids: readonly string[],
  onProgress: (done: number) => void = () => undefined,
): Promise<AssetResult[]> {
  const results: AssetResult[] = []
  for (let start = 0; start < ids.length; start += batchSize) {
    const assetIds = ids.slice(start, start + batchSize)
    try {
      results.push(...(await ask(p, work, assetIds)).results)
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'InternalServerError'
      results.push(...assetIds.map((_id) => ({ _id, success: false, code })))
    }
    onProgress(results.length)
  }
  await assetsChanged(p)
  return results
}

function ask(p: string, work: BulkWork, assetIds: string[]) {
  const params = { p }
  if (work.action === 'delete')
    return api('POST /api/project/{p}/assets/bulkDelete', { params, body: { assetIds } })
  if (work.action === 'restore')
    return api('POST /api/project/{p}/assets/bulkRestore', { params, body: { assetIds } })
  const { add, remove } = work
  return api('POST /api/project/{p}/assets/bulkTagsUpdate', { params, body: { assetIds, add, remove } })
}
