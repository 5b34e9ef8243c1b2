interface ComposingView {
  dom: HTMLElement
  readonly composing: boolean
}

/**
 * Runs `change` now, or after the current IME composition has ended. A change of the text during a composition would
 * lose or duplicate parts of the composed text. Returns a function that cancels the change.
 */
export function afterComposition(view: ComposingView, change: () => void): () => void {
  if (!view.composing) {
    change()
    return () => undefined
  }
  let giveUp = () => view.dom.removeEventListener('compositionend', ended)
  function ended() {
    // The view must read the composed text first. The next composition may have started by then.
    const timer = setTimeout(() => {
      giveUp = afterComposition(view, change)
    }, 0)
    giveUp = () => clearTimeout(timer)
  }
  view.dom.addEventListener('compositionend', ended, { once: true })
  return () => giveUp()
}
