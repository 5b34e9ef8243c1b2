/** Not built yet. */
export function DocumentListPage() {
  return null
}
