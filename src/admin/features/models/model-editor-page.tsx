/** Not built yet. */
export function ModelEditorPage() {
  return null
}
