import { readStoredJson, writeStored } from '#admin/base/storage.ts'

/** A pending sign-in of this tab that needs its second factor. It is useless without its cookie. */
export interface SignInChallenge {
  id: string
  /** The path to open after signing in. */
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
