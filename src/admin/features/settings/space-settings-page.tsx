/** Not built yet. */
export function SpaceSettingsPage() {
  return null
}
