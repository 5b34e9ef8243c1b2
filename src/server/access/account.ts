import type { Language } from '#shared/languages.ts'

/** An account, never with its password hash. */
export interface AccountRow {
  id: string
  email: string
  name: string
  isAdmin: boolean
  /** Somebody opened a mail that was sent to its address. */
  emailVerified: boolean
  language: Language
  colorScheme: 'auto' | 'light' | 'dark'
  /** `_id` of the picture; null for none. */
  iconId: string | null
}

/** An account as its owner is answered it. */
export const presentAccount = ({ id, iconId, ...account }: AccountRow) => ({
  _id: id,
  ...account,
  icon: presentAccountIcon(id, iconId),
})

/** An account's picture as it is answered: below the installation's origin, for who is signed in. */
export const presentAccountIcon = (accountId: string, iconId: string | null) =>
  iconId === null ? null : { src: `/api/account/${accountId}/icon/${iconId}` }
