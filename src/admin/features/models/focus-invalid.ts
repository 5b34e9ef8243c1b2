/**
 * Puts the focus on the first broken input in there, once it is there. A drawer that opens takes the focus too, on a
 * busy machine later than this: it gives it to what is marked with `data-autofocus`, so the mark moves to the input.
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
