/** The list with the item at `index` moved by `places`, clamped to the list's ends. */
export function moved<T>(list: readonly T[], index: number, places: number): T[] {
  const next = [...list]
  next.splice(index + places, 0, ...next.splice(index, 1))
  return next
}
