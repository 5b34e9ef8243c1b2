import type { Language } from '#shared/languages.ts'

/** An account, without its password hash. */
export interface AccountRow {
  id: string
  email: string
  name: string
  isAdmin: boolean
  /**
   * Whether the owner has confirmed the e-mail address, by a mailed link or invitation or as an admin of the
   * installation. Unchanged if the operator changes the address.
   */
  emailVerified: boolean
  language: Language
  colorScheme: 'auto' | 'light' | 'dark'
  /** `_id` of the picture. null: no picture. */
  iconId: string | null
}

/** Converts an account to its form in responses to its owner. */
export const presentAccount = ({ id, iconId, ...account }: AccountRow) => ({
  _id: id,
  ...account,
  icon: presentAccountIcon(id, iconId),
})

/**
 * Returns the picture of an account for responses: a path on the installation's origin that requires a session. null:
 * no picture.
 */
export const presentAccountIcon = (accountId: string, iconId: string | null) =>
  iconId === null ? null : { src: `/api/account/${accountId}/icon/${iconId}` }
