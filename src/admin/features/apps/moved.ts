/**
 * Returns the list with the item at `index` moved by `places` positions. Past the end of the list, the item becomes the
 * last one. `index + places` must not be negative.
 */
export function moved<T>(list: readonly T[], index: number, places: number): T[] {
  const next = [...list]
  next.splice(index + places, 0, ...next.splice(index, 1))
  return next
}
