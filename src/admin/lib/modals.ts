import type { ReactNode } from 'react'
import { Store, useStore } from '#admin/base/store.ts'

export interface ModalContent {
  title: string
  children: ReactNode
  size?: 'md' | 'lg' | 'xl'
  onClose?: () => void
}

export interface OpenModal extends ModalContent {
  id: number
  /** False during the closing transition. */
  opened: boolean
}

const open = new Store<readonly OpenModal[]>([])
let lastId = 0

/** The modal windows of the admin. A modal opened from another one is stacked above it. */
export const modals = {
  open(content: ModalContent): number {
    lastId++
    open.set([...open.get(), { ...content, id: lastId, opened: true }])
    return lastId
  },

  close(id: number): void {
    const modal = open.get().find((one) => one.id === id && one.opened)
    if (!modal) return
    open.set(open.get().map((one) => (one === modal ? { ...one, opened: false } : one)))
    modal.onClose?.()
  },

  /** Removes the modal from the store after the closing transition. */
  forget(id: number): void {
    open.set(open.get().filter((one) => one.id !== id))
  },
}

export function useModals(): readonly OpenModal[] {
  return useStore(open)
}
