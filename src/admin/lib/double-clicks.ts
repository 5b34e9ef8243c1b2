/** What can be acted on by a click. */
const interactive = 'a, button, input, select, textarea, label, summary, [role], [tabindex]'

/** What a control does, whichever item of a list it does it to: the name of the item is left out. */
function kindOf(element: Element): string {
  const label = element.getAttribute('aria-label')?.replace(/「[^」]*」|“[^”]*”|\d+/g, '')
  return [element.tagName, element.className, element.textContent, label].join('\n')
}

/**
 * The second click of a double click counts only where the first one was: people double-click out of habit, and what
 * the first click brought (another page, a window) must not be answered by the second. Of controls of one kind that
 * move up under the pointer (remove, remove, remove) each click counts. Answers how to stop.
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
