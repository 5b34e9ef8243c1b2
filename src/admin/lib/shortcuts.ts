import { useEffect, useRef } from 'react'
import { Store, useStore } from '#admin/base/store.ts'

/** A key with its modifiers: `mod+s` (⌘ on Apple, Ctrl elsewhere), `mod+enter`, `shift+mod+k`, `/`, `?`. */
export interface Shortcut {
  keys: string
  label: string
  /** null: an element handles the key itself, and the shortcut is only listed. */
  run: ((event: KeyboardEvent) => void) | null
}

const shortcuts = new Store<readonly Shortcut[]>([])

// `navigator` may be missing: some tests import this module without a DOM.
const apple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')

/** Returns the label of a shortcut on this platform: `⌘S` or `Ctrl+S`. */
export function shortcutText(keys: string): string {
  const names: Record<string, string> = apple
    ? { mod: '⌘', shift: '⇧', alt: '⌥', enter: '↩' }
    : { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', enter: 'Enter' }
  return keys
    .split('+')
    .map((part) => names[part] ?? part.toUpperCase())
    .join(apple ? '' : '+')
}

/** Returns whether the event matches the shortcut's keys. */
export function isPressed(event: KeyboardEvent, keys: string): boolean {
  const parts = keys.split('+')
  const key = parts.at(-1)
  const mod = apple ? event.metaKey : event.ctrlKey
  return (
    event.key.toLowerCase() === key &&
    mod === parts.includes('mod') &&
    event.altKey === parts.includes('alt') &&
    // Characters such as `?` need Shift on many keyboard layouts, so Shift is ignored for them.
    (event.shiftKey === parts.includes('shift') || !/^[a-z]+$/.test(key ?? ''))
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  )
}

function onKeyDown(event: KeyboardEvent): void {
  // Key code 229 belongs to an input method, even if `isComposing` is false (Safari's last Enter).
  if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return
  const found = shortcuts.get().findLast((shortcut) => isPressed(event, shortcut.keys))
  if (!found?.run || (isTyping(event.target) && !found.keys.includes('mod'))) return
  event.preventDefault()
  found.run(event)
}

/**
 * Registers a shortcut while the component is mounted. If several have the same keys, the one registered last runs.
 * Keys without `mod` are ignored while the user types.
 */
export function useShortcut(keys: string, label: string, run: Shortcut['run'], enabled = true): void {
  const latest = useRef(run)
  const isListedOnly = run === null
  latest.current = run
  useEffect(() => {
    if (!enabled) return
    const shortcut: Shortcut = { keys, label, run: isListedOnly ? null : (event) => latest.current?.(event) }
    if (shortcuts.get().length === 0) window.addEventListener('keydown', onKeyDown)
    shortcuts.set([...shortcuts.get(), shortcut])
    return () => {
      shortcuts.set(shortcuts.get().filter((other) => other !== shortcut))
      if (shortcuts.get().length === 0) window.removeEventListener('keydown', onKeyDown)
    }
  }, [keys, label, enabled, isListedOnly])
}

/** Returns the registered shortcuts. */
export function useShortcuts(): readonly Shortcut[] {
  return useStore(shortcuts)
}
