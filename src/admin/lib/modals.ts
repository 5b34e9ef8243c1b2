import { type ReactNode, useSyncExternalStore } from 'react'

export interface ModalContent {
  title: string
  children: ReactNode
  size?: 'md' | 'lg' | 'xl'
  /** Runs once the modal is closed, in whatever way. */
  onClose?: () => void
}

export interface OpenModal extends ModalContent {
  id: number
  /** False while it fades away. */
  opened: boolean
}

let open: readonly OpenModal[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly OpenModal[]): void {
  open = next
  for (const listener of listeners) listener()
}

/** The modal windows of the admin. One above the other when one opens another. */
export const modals = {
  /** Sets title and content and shows it. Returns its id. */
  open(content: ModalContent): number {
    lastId++
    change([...open, { ...content, id: lastId, opened: true }])
    return lastId
  },

  /** Hides it and runs its on-close callback. */
  close(id: number): void {
    const modal = open.find((one) => one.id === id && one.opened)
    if (!modal) return
    change(open.map((one) => (one === modal ? { ...one, opened: false } : one)))
    modal.onClose?.()
  },

  /** Forgets it, content and options: it has faded away. */
  forget(id: number): void {
    change(open.filter((one) => one.id !== id))
  },
}

export function useModals(): readonly OpenModal[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => open,
  )
}
