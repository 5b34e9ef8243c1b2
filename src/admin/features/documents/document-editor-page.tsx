/** Not built yet. */
export function DocumentEditorPage() {
  return null
}
