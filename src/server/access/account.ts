import type { Language } from '#shared/languages.ts'

/** An account, never with its password hash. */
export interface AccountRow {
  id: string
  email: string
  name: string
  isAdmin: boolean
  language: Language
  colorScheme: 'auto' | 'light' | 'dark'
}
