/** Not built yet. */
export function ApiKeysPage() {
  return null
}
