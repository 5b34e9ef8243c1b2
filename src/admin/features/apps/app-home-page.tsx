/** Not built yet. */
export function AppHomePage() {
  return null
}
