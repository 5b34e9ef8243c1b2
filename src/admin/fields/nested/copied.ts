import { Store, useStore } from '#admin/base/store.ts'
import { currentAccount, subscribeToAccount } from '#admin/lib/session.ts'

/**
 * The items that were copied last in this or another open tab, in the clipboard's format. The paste buttons need them,
 * because browsers reveal the clipboard's custom types only in a paste event. Deleted when the user logs out.
 */
const copied = new Store<string | null>(null)
const otherTabs = new BroadcastChannel('imori-copied-items')

/** A new tab broadcasts this message. The other tabs answer with their copied items. */
const question = { ask: 'copied' } as const

otherTabs.addEventListener('message', ({ data }) => {
  if (typeof data === 'string') copied.set(data)
  else if (copied.get() !== null) otherTabs.postMessage(copied.get())
})
otherTabs.postMessage(question)
subscribeToAccount(() => {
  if (!currentAccount()) copied.set(null)
})

/** Stores copied items for the paste buttons of all tabs. */
export function rememberCopied(text: string): void {
  copied.set(text)
  otherTabs.postMessage(text)
}

/** Returns the items that were copied last; null if there are none. */
export const useCopied = (): string | null => useStore(copied)
