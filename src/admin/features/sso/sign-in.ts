import { readStored, writeStored } from '#admin/base/storage.ts'
import { api } from '#admin/lib/api.ts'

const key = 'imori.ssoCode'

/** The code behind the `#`, out of the address at once; else the one that this tab has kept while its owner signed in. */
export function takeCode(): string {
  const given = location.hash.slice(1)
  if (given) {
    history.replaceState(history.state, '', location.pathname + location.search)
    writeStored(key, given, 'sessionStorage')
  }
  return given || (readStored(key, 'sessionStorage') ?? '')
}

export function forgetCode(): void {
  writeStored(key, null, 'sessionStorage')
}

/** Begins a sign-in by SSO: the browser leaves for the identity provider. */
export async function goToProvider(body: {
  email?: string
  space?: string
  redirect?: string
  popup?: boolean
  invitationCode?: string
}): Promise<never> {
  const { url } = await api('POST /api/auth/sso', { body })
  location.assign(url)
  // The button stays busy until the browser has left.
  return new Promise(() => undefined)
}

/** What the window that came by an identity provider tells the one that opened it. */
export interface Connected {
  success: boolean
  errorCode: string | null
  twoFactorAuth: boolean
  userId: string | null
}

/** For windows whose opener was lost on the way. */
export const connectedChannel = 'imori.connected'

/** Reads what `/connected` was asked to tell. */
export function readConnected(search: string): Connected {
  const query = new URLSearchParams(search)
  return {
    success: query.get('success') === 'true',
    errorCode: query.get('error-code'),
    twoFactorAuth: query.get('two-factor-auth') === 'true',
    userId: query.get('user-id'),
  }
}

/** Is this really such a message? Whoever gets one believes nothing else, and asks the server who is signed in. */
export function isConnected(data: unknown): data is Connected {
  return typeof data === 'object' && data !== null && 'success' in data && 'twoFactorAuth' in data
}

export const connectedAddress = (userId: string) =>
  `/connected?${new URLSearchParams({ success: 'true', 'two-factor-auth': 'false', 'user-id': userId })}`
