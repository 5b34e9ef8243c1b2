import { Store, useStore } from '#admin/base/store.ts'
import { sendAlways } from './api.ts'
import { showBeside } from './companions.ts'
import { queryClient } from './query-client.ts'

/** With whose rights the admin is looked at, in which space. */
export interface Preview {
  p: string
  memberId: string
  name: string
}

const preview = new Store<Preview | null>(null)

export const usePreview = (): Preview | null => useStore(preview)

/**
 * Shows the admin as the rights of another member let it be seen, until it is ended or the page is loaded anew. The
 * server answers questions only: whoever looks stays who they are, and changes nothing. `Banner` says so all the while.
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
