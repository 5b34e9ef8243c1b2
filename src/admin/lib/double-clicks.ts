const interactive = 'a, button, input, select, textarea, label, summary, [role], [tabindex]'

/**
 * Returns a text that identifies the kind of a control: its tag, classes, text and label. Names in quotes and numbers
 * are removed from the label, because they differ between list items.
 */
function kindOf(element: Element): string {
  const label = element.getAttribute('aria-label')?.replace(/「[^」]*」|“[^”]*”|\d+/g, '')
  return [element.tagName, element.className, element.textContent, label].join('\n')
}

/**
 * Ignores the second click of a double click unless it is on the same control. Some users double-click out of habit,
 * and the second click must not act on the page or dialog that the first one opened. Controls of the same kind that
 * move up under the pointer (repeated "remove") receive each click. Returns a function that removes the listeners.
 */
export function guardDoubleClicks(target: EventTarget = window): () => void {
  let first: Element | null = null
  let swallows = false

  function onDown(event: Event) {
    const element = event.target instanceof Element ? event.target.closest(interactive) : null
    if ((event as MouseEvent).detail <= 1) {
      first = element
      swallows = false
    } else
      swallows =
        element !== null && element !== first && (first === null || kindOf(element) !== kindOf(first))
  }
  function onClick(event: Event) {
    if (!swallows || (event as MouseEvent).detail <= 1) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  target.addEventListener('mousedown', onDown, true)
  target.addEventListener('click', onClick, true)
  return () => {
    target.removeEventListener('mousedown', onDown, true)
    target.removeEventListener('click', onClick, true)
  }
}
