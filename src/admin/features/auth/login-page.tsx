/** Not built yet. */
export function LoginPage() {
  return null
}
