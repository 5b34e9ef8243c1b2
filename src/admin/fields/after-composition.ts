interface ComposingView {
  dom: HTMLElement
  readonly composing: boolean
}

/**
 * Runs `change` now, or once the current composition has ended: changing the text during a composition loses or
 * duplicates parts of it. Returns a function that cancels the change.
 */
export function afterComposition(view: ComposingView, change: () => void): () => void {
  if (!view.composing) {
    change()
    return () => undefined
  }
  let giveUp = () => view.dom.removeEventListener('compositionend', ended)
  function ended() {
    // The view must read the composed text first. By then the next composition may have begun.
    const timer = setTimeout(() => {
      giveUp = afterComposition(view, change)
    }, 0)
    giveUp = () => clearTimeout(timer)
  }
  view.dom.addEventListener('compositionend', ended, { once: true })
  return () => giveUp()
}
