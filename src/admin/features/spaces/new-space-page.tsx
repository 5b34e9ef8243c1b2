/** Not built yet. */
export function NewSpacePage() {
  return null
}
