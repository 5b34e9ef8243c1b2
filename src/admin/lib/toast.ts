import { Store, useStore } from '#admin/base/store.ts'

export interface Toast {
  id: number
  type: 'success' | 'error'
  message: string
  action?: ToastAction
}

export interface ToastAction {
  label: string
  run: () => void
}

/** Time in milliseconds that a toast is shown. */
export const toastTime = 6000

const toasts = new Store<readonly Toast[]>([])
let lastId = 0

function show(type: Toast['type'], message: string, action?: ToastAction): number {
  lastId++
  // A repeated message replaces the earlier toast and restarts its time, so that ten failed rows show one toast. Toasts
  // with an action are kept, because each action is separate.
  toasts.set(
    [
      ...toasts.get().filter((toast) => toast.action !== undefined || toast.message !== message),
      { id: lastId, type, message, ...(action ? { action } : {}) },
    ].slice(-5),
  )
  return lastId
}

/**
 * Shows a short message at the bottom right, with at most five at a time. A toast is shown for six seconds, and longer
 * while it has the pointer or the focus. Returns the id, for {@link closeToast}.
 */
export const toast = {
  success: (message: string, action?: ToastAction) => show('success', message, action),
  error: (message: string) => show('error', message),
}

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
}

/**
 * Closes all toasts. They must not outlive a session: "your session has expired" must not be shown after a new sign-in.
 */
export function closeAllToasts(): void {
  toasts.set([])
}

/** Returns the toasts that are currently shown. */
export const shownToasts = toasts.get

export function useToasts(): readonly Toast[] {
  return useStore(toasts)
}
