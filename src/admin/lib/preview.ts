import { Store, useStore } from '#admin/base/store.ts'
import { sendAlways } from './api.ts'
import { showBeside } from './companions.ts'
import { queryClient } from './query-client.ts'

/** A preview of the admin with the rights of one member of a space. */
export interface Preview {
  p: string
  memberId: string
  name: string
}

const preview = new Store<Preview | null>(null)

export const usePreview = (): Preview | null => useStore(preview)

/**
 * Shows the admin with the rights of another member, except rights that the caller lacks, until `endPreview` or a page
 * reload. Meanwhile the server rejects all changes, also outside the space, and `Banner` is shown next to every page.
 */
export async function startPreview(next: Preview, Banner: React.ComponentType): Promise<void> {
  sendAlways({ 'x-imori-view-as': next.memberId })
  preview.set(next)
  showBeside(Banner)
  await queryClient.resetQueries({ queryKey: ['space', next.p] })
}

export async function endPreview(): Promise<void> {
  const before = preview.get()
  sendAlways({})
  preview.set(null)
  if (before) await queryClient.resetQueries({ queryKey: ['space', before.p] })
}
