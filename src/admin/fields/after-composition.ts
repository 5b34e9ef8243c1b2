interface ComposingView {
  dom: HTMLElement
  readonly composing: boolean
}

/**
 * Changes a text now, or as soon as the input method that is at work in it has finished: a change in between takes parts
 * of its words away or leaves them behind. Answers how to give it up.
 */
export function afterComposition(view: ComposingView, change: () => void): () => void {
  if (!view.composing) {
    change()
    return () => undefined
  }
  let giveUp = () => view.dom.removeEventListener('compositionend', ended)
  function ended() {
    // The view reads what was composed first. The next composition may have begun by then.
    const timer = setTimeout(() => {
      giveUp = afterComposition(view, change)
    }, 0)
    giveUp = () => clearTimeout(timer)
  }
  view.dom.addEventListener('compositionend', ended, { once: true })
  return () => giveUp()
}
