import { readStored, writeStored } from '#admin/base/storage.ts'
import { api } from '#admin/lib/api.ts'

const key = 'imori.ssoCode'

/**
 * Returns the code in the URL fragment, and removes it from the URL immediately. Without a fragment, returns the code
 * stored in this tab while the user signed in. An empty string: no code.
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
  // The promise never resolves, so that the button stays busy until the browser has left the page.
  return new Promise(() => undefined)
}

/** The message of the sign-in window to the window that opened it. */
export interface Connected {
  success: boolean
  errorCode: string | null
  twoFactorAuth: boolean
  userId: string | null
  /** The id of a refused test sign-in. */
  testId: string | null
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
    testId: query.get('trial'),
  }
}

/** Returns whether the data looks like a {@link Connected} message. Checks only that two of its properties exist. */
export function isConnected(data: unknown): data is Connected {
  return typeof data === 'object' && data !== null && 'success' in data && 'twoFactorAuth' in data
}

export const connectedAddress = (userId: string) =>
  `/connected?${new URLSearchParams({ success: 'true', 'two-factor-auth': 'false', 'user-id': userId })}`
