import { readStored, writeStored } from '#admin/base/storage.ts'
import { api } from '#admin/lib/api.ts'

const key = 'imori.ssoCode'

/**
 * The code in the URL fragment, removed from the address bar immediately; otherwise the one stored in this tab while
 * the user signed in.
 */
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

/** Starts a sign-in by SSO by navigating to the identity provider. */
export async function goToProvider(body: {
  email?: string
  space?: string
  redirect?: string
  popup?: boolean
  invitationCode?: string
}): Promise<never> {
  const { url } = await api('POST /api/auth/sso', { body })
  location.assign(url)
  // Never resolves, so that the button stays busy until the browser has left.
  return new Promise(() => undefined)
}

/** The message of the sign-in window to the one that opened it. */
export interface Connected {
  success: boolean
  errorCode: string | null
  twoFactorAuth: boolean
  userId: string | null
  /** The id of a refused trial. */
  trial: string | null
}

/** Name of the BroadcastChannel for sign-in windows that have lost their opener. */
export const connectedChannel = 'imori.connected'

/** Reads the message from the query string of `/connected`. */
export function readConnected(search: string): Connected {
  const query = new URLSearchParams(search)
  return {
    success: query.get('success') === 'true',
    errorCode: query.get('error-code'),
    twoFactorAuth: query.get('two-factor-auth') === 'true',
    userId: query.get('user-id'),
    trial: query.get('trial'),
  }
}

/** Whether the data is such a message. Receivers rely on nothing in it and ask the server who is signed in. */
export function isConnected(data: unknown): data is Connected {
  return typeof data === 'object' && data !== null && 'success' in data && 'twoFactorAuth' in data
}

export const connectedAddress = (userId: string) =>
  `/connected?${new URLSearchParams({ success: 'true', 'two-factor-auth': 'false', 'user-id': userId })}`
