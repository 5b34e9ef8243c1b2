/**
 * Focuses the first invalid input inside `place`. Until one is rendered, tries again in up to `tries` animation frames.
 * An opening drawer may later focus the element marked with `data-autofocus`, so the mark is moved to this input.
 */
export function focusInvalid(place: string, tries = 60): void {
  requestAnimationFrame(() => {
    const input = document.querySelector<HTMLElement>(`${place} [aria-invalid="true"]`)
    if (!input) {
      if (tries > 0) focusInvalid(place, tries - 1)
      return
    }
    for (const marked of document.querySelectorAll(`${place} [data-autofocus]`))
      marked.removeAttribute('data-autofocus')
    input.setAttribute('data-autofocus', 'true')
    input.scrollIntoView({ block: 'center' })
    input.focus({ preventScroll: true })
  })
}
