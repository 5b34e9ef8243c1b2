import { useEffect, useMemo, useRef } from 'react'
import { isComposing } from './composing.ts'

interface Layer {
  /** Grows with each window that opens. */
  order: number
  close: () => void
}

/** The windows above the page, the topmost last. */
const layers: Layer[] = []
let lastOrder = 0
let isForPopup = false

/** Menus, lists of options and small windows that are open where the key is pressed: they close before any layer. */
const popups = '[data-mantine-stop-propagation="true"], [data-position]'

/** Before anything has closed. */
function onCapture({ target }: KeyboardEvent): void {
  isForPopup =
    target instanceof Element &&
    (target.closest(popups) !== null || target.hasAttribute('aria-activedescendant'))
}

/** Who had a use of its own for the key has said so by now. */
function onBubble(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || isForPopup || event.defaultPrevented || isComposing(event)) return
  layers.at(-1)?.close()
}

/**
 * Makes a window a layer above the page while it is open: one Escape closes the topmost layer and nothing below it.
 * Mantine's own windows each listen for themselves, so `closeOnEscape` is off for all of them (theme.ts).
 */
export function useLayer(opened: boolean, close: () => void): void {
  const latest = useRef(close)
  latest.current = close
  // While rendering: windows that open at once are drawn from below, and their effects run from above.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time it opens.
  const order = useMemo(() => ++lastOrder, [opened])
  useEffect(() => {
    if (!opened) return
    const layer: Layer = { order, close: () => latest.current() }
    if (layers.length === 0) {
      window.addEventListener('keydown', onCapture, { capture: true })
      window.addEventListener('keydown', onBubble)
    }
    layers.push(layer)
    layers.sort((a, b) => a.order - b.order)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
      if (layers.length > 0) return
      window.removeEventListener('keydown', onCapture, { capture: true })
      window.removeEventListener('keydown', onBubble)
    }
  }, [opened, order])
}
