/** Not built yet. */
export function MembersPage() {
  return null
}
