/** Not built yet. */
export function SignUpPage() {
  return null
}
