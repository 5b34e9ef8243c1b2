import { Store, useStore } from '#admin/base/store.ts'
import { currentAccount, subscribeToAccount } from '#admin/lib/session.ts'

/**
 * The items that were copied last, here or in another tab that is still open, as the clipboard has them: what a button pastes, since
 * the clipboard itself may only be read when somebody presses its keys. Nobody else sees them after a log-out.
 */
const copied = new Store<string | null>(null)
const otherTabs = new BroadcastChannel('imori-copied-items')

/** What a tab that was opened later asks the others, which then send what they remember once more. */
const question = { ask: 'copied' } as const

otherTabs.addEventListener('message', ({ data }) => {
  if (typeof data === 'string') copied.set(data)
  else if (copied.get() !== null) otherTabs.postMessage(copied.get())
})
otherTabs.postMessage(question)
subscribeToAccount(() => {
  if (!currentAccount()) copied.set(null)
})

/** Remembers what was copied, for the buttons of all tabs. */
export function rememberCopied(text: string): void {
  copied.set(text)
  otherTabs.postMessage(text)
}

/** What was copied last; null for nothing. */
export const useCopied = (): string | null => useStore(copied)
