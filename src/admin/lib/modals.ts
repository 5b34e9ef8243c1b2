import type { ReactNode } from 'react'
import { Store, useStore } from '#admin/base/store.ts'

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

const open = new Store<readonly OpenModal[]>([])
let lastId = 0

/** The modal windows of the admin. One above the other when one opens another. */
export const modals = {
  /** Sets title and content and shows it. Returns its id. */
  open(content: ModalContent): number {
    lastId++
    open.set([...open.get(), { ...content, id: lastId, opened: true }])
    return lastId
  },

  /** Hides it and runs its on-close callback. */
  close(id: number): void {
    const modal = open.get().find((one) => one.id === id && one.opened)
    if (!modal) return
    open.set(open.get().map((one) => (one === modal ? { ...one, opened: false } : one)))
    modal.onClose?.()
  },

  /** Forgets it, content and options: it has faded away. */
  forget(id: number): void {
    open.set(open.get().filter((one) => one.id !== id))
  },
}

export function useModals(): readonly OpenModal[] {
  return useStore(open)
}
