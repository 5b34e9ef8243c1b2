import type { Language } from '#shared/languages.ts'

/** An account, without its password hash. */
export interface AccountRow {
  id: string
  email: string
  name: string
  isAdmin: boolean
  /** Somebody has opened a link in a mail to this address. */
  emailVerified: boolean
  language: Language
  colorScheme: 'auto' | 'light' | 'dark'
  /** `_id` of the picture; null for none. */
  iconId: string | null
}

/** An account in responses to its owner. */
export const presentAccount = ({ id, iconId, ...account }: AccountRow) => ({
  _id: id,
  ...account,
  icon: presentAccountIcon(id, iconId),
})

/** An account's picture in responses: a path on the installation's origin that requires a session. */
export const presentAccountIcon = (accountId: string, iconId: string | null) =>
  iconId === null ? null : { src: `/api/account/${accountId}/icon/${iconId}` }
