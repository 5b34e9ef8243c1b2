/** Not built yet. */
export function AppSettingsPage() {
  return null
}
