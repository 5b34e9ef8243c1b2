import { translator } from '#admin/i18n/messages.ts'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import { type ToastAction, toast } from '#admin/lib/toast.ts'
import { assetQuery } from '#admin/media/assets.queries.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { runBulk } from './run-bulk.ts'

interface Target {
  id: string
  title: string
}

/** Maximum number of assets whose uses are counted for the confirmation. */
const maximumCounted = 30
let asking = false

/** Returns the total number of uses of these assets. null: more than `maximumCounted` assets, or the request failed. */
async function usesOf(p: string, targets: readonly Target[]): Promise<number | null> {
  if (targets.length > maximumCounted) return null
  try {
    const assets = await Promise.all(
      targets.map(({ id }) => queryClient.fetchQuery({ ...assetQuery(p, id), staleTime: 0 })),
    )
    return assets.reduce((sum, asset) => sum + (asset.useCount ?? 0), 0)
  } catch {
    return null
  }
}

/**
 * Shows the consequences in a confirmation dialog, and calls `run` when the user confirms. By default, `run` moves the
 * assets to the trash and calls `onDone` unless all of them failed.
 */
export async function askToDelete(
  p: string,
  targets: readonly Target[],
  onDone: () => void,
  run: () => Promise<unknown> = () => deleteAssets(p, targets, onDone),
): Promise<void> {
  // While the uses are being counted, further calls are ignored.
  if (asking) return
  asking = true
  const uses = await usesOf(p, targets)
  asking = false
  const t = translator()
  const count = targets.length
  const [first] = targets
  confirm({
    title:
      count === 1 && first
        ? t('assets.delete.titleOf', { title: first.title })
        : t('assets.delete.title', { count }),
    message: (
      <>
        {t('assets.delete.text')}
        {uses !== null && uses > 0 && <p>{t('assets.delete.used', { count: uses })}</p>}
        {uses === null && <p>{t('assets.delete.maybeUsed')}</p>}
      </>
    ),
    action: t('assets.delete.action'),
    danger: true,
    run,
  })
}

async function deleteAssets(p: string, targets: readonly Target[], onDone: () => void): Promise<void> {
  const results = await runBulk(
    p,
    { action: 'delete' },
    targets.map(({ id }) => id),
  )
  const gone = results.filter(({ success }) => success).map(({ _id }) => _id)
  const failed = results.find(({ success }) => !success)
  if (failed && gone.length === 0) throw new ApiError(400, { code: failed.code })
  onDone()
  toldDeleted(p, gone)
  if (failed) toast.error(errorText(new ApiError(400, { code: failed.code })))
}

/** Reports that assets were moved to the trash, with an undo action. */
export function toldDeleted(p: string, ids: readonly string[]): void {
  const t = translator()
  const action: ToastAction = { label: t('assets.undo'), run: () => void restoreAssets(p, ids) }
  toast.success(t('assets.bulk.done.delete', { count: ids.length }), action)
}

/** Restores assets from the trash and reports the result. */
export async function restoreAssets(p: string, ids: readonly string[]): Promise<void> {
  const t = translator()
  const results = await runBulk(p, { action: 'restore' }, ids)
  const failed = results.find(({ success }) => !success)
  const restored = results.filter(({ success }) => success).length
  if (restored > 0) toast.success(t('assets.trash.restored', { count: restored }))
  if (failed) toast.error(errorText(new ApiError(400, { code: failed.code })))
}
