/** Not built yet. */
export function SpacesPage() {
  return null
}
