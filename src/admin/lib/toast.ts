import { Store, useStore } from '#admin/base/store.ts'

export interface Toast {
  id: number
  type: 'success' | 'error'
  message: string
  /** What can still be done about it: 元に戻す. */
  action?: ToastAction
}

export interface ToastAction {
  label: string
  run: () => void
}

/** How long a toast stays, in milliseconds (specification §9). */
export const toastTime = 6000

const toasts = new Store<readonly Toast[]>([])
let lastId = 0

function show(type: Toast['type'], message: string, action?: ToastAction): void {
  lastId++
  // The same sentence twice is one toast with its time started again: ten failed rows are not ten toasts. But what can
  // be undone twice stands there twice.
  toasts.set(
    [
      ...toasts.get().filter((toast) => toast.action !== undefined || toast.message !== message),
      { id: lastId, type, message, ...(action ? { action } : {}) },
    ].slice(-5),
  )
}

/** Short news at the bottom right: outcomes only, six seconds each. */
export const toast = {
  success: (message: string, action?: ToastAction) => show('success', message, action),
  error: (message: string) => show('error', message),
}

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
}

export function useToasts(): readonly Toast[] {
  return useStore(toasts)
}
