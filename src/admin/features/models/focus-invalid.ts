/** Puts the focus on the first broken input in there, once it is there: a drawer opens and takes the focus first. */
export function focusInvalid(place: string, tries = 60): void {
  requestAnimationFrame(() => {
    const input = document.querySelector<HTMLElement>(`${place} [aria-invalid="true"]`)
    const settled = input !== null && (input.closest(place)?.contains(document.activeElement) ?? false)
    if (input && (settled || place !== '[role="dialog"]')) {
      input.scrollIntoView({ block: 'center' })
      input.focus({ preventScroll: true })
    } else if (tries > 0) focusInvalid(place, tries - 1)
  })
}
