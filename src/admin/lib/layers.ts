import { useEffect, useMemo, useRef } from 'react'
import { isComposing } from './composing.ts'

interface Layer {
  order: number
  close: () => void
}

/** The open layers above the page; the topmost layer is last. */
const layers: Layer[] = []
let lastOrder = 0
let isForPopup = false

/**
 * Popups (menus, option lists, popovers) that may be open at the focused element. Escape closes them before any layer.
 */
const popups = '[data-mantine-stop-propagation="true"], [data-position]'

/** Runs in the capture phase, before a popup has closed. */
function onCapture({ target }: KeyboardEvent): void {
  isForPopup =
    target instanceof Element &&
    (target.closest(popups) !== null || target.hasAttribute('aria-activedescendant'))
}

/** Runs in the bubble phase, after handlers that use the key themselves have called `preventDefault`. */
function onBubble(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || isForPopup || event.defaultPrevented || isComposing(event)) return
  layers.at(-1)?.close()
}

/**
 * Makes a window a layer above the page while it is open. One press of Escape closes the topmost layer and no layer
 * below it. Each of Mantine's own windows would handle Escape separately, so `closeOnEscape` is off for all of them
 * (theme.ts).
 */
export function useLayer(opened: boolean, close: () => void): void {
  const latest = useRef(close)
  latest.current = close
  // The number is assigned during render. When layers open together, the parent renders first, but the child's effects
  // run first.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new number each time the layer opens.
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
