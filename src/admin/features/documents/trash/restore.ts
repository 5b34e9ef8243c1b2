import { translator } from '#admin/i18n/messages.ts'
import { ApiError } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { type ToastAction, toast } from '#admin/lib/toast.ts'
import { documentsChanged, type ModelPlace } from '../documents.queries.ts'
import { type BulkResult, runBulk } from '../list/bulk-actions.ts'

/** A document in the trash. `published`: whether it was published, if known. */
export interface Deleted {
  _id: string
  published?: boolean
}

/** Restores documents from the trash and reports the result. */
export async function restoreDocuments(place: ModelPlace, deleted: readonly Deleted[]): Promise<void> {
  const t = translator()
  const ids = deleted.map(({ _id }) => _id)
  const results = await runBulk(place, 'restore', ids, () => undefined)
  documentsChanged(place)
  const restored = results.filter((result) => result.success)
  const failed = results.filter((result) => !result.success)
  const wasPublished = new Set(deleted.filter((one) => one.published).map(({ _id }) => _id))
  const drafts = restored.filter(({ _id, status }) => status === 'draft' && wasPublished.has(_id))
  if (drafts.length > 0) toast.success(t('documents.trash.restoredAsDraft', { count: drafts.length }))
  if (restored.length > drafts.length)
    toast.success(t('documents.trash.restored', { count: restored.length - drafts.length }))
  if (failed[0])
    toast.error(t('documents.trash.failed', { count: failed.length, reason: reasonOf(failed[0]) }))
}

function reasonOf({ code = 'undefined', issues = [] }: BulkResult): string {
  const duplicate = issues.find((issue) => issue.code === 'DuplicatedValue')
  return duplicate ? issueText(duplicate) : errorText(new ApiError(400, { code }))
}

/** Returns the toast action that undoes a deletion (元に戻す). */
export function undoDelete(place: ModelPlace, deleted: readonly Deleted[]): ToastAction {
  return {
    label: translator()('documents.trash.undo'),
    run: () => void restoreDocuments(place, deleted),
  }
}
