/** Not built yet. */
export function NewModelPage() {
  return null
}
