import { readStoredJson, writeStored } from '#admin/base/storage.ts'

/** A sign-in that waits for its second factor, in this tab. It is useless without the cookie that came with it. */
export interface SignInChallenge {
  id: string
  /** Where to go afterwards. */
  redirect?: string
}

const key = 'imori.signInChallenge'

export function keepChallenge(challenge: SignInChallenge | null): void {
  writeStored(key, challenge && JSON.stringify(challenge), 'sessionStorage')
}

export function keptChallenge(): SignInChallenge | null {
  const kept = readStoredJson(key, 'sessionStorage') as Partial<SignInChallenge> | null
  if (typeof kept?.id !== 'string') return null
  return { id: kept.id, ...(typeof kept.redirect === 'string' ? { redirect: kept.redirect } : {}) }
}
