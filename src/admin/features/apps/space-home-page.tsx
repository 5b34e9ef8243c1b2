/** Not built yet. */
export function SpaceHomePage() {
  return null
}
