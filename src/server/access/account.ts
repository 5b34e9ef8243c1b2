/** An account, never with its password hash. */
export interface AccountRow {
  id: string
  email: string
  name: string
  isAdmin: boolean
  language: 'ja' | 'en'
  colorScheme: 'auto' | 'light' | 'dark'
}
