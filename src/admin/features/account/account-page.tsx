/** Not built yet. */
export function AccountPage() {
  return null
}
