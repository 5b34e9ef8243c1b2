import { redirect } from '@tanstack/react-router'
import { currentAccount } from '#admin/lib/session.ts'

/** The search parameters of the login and sign-up pages. */
export interface GuestSearch {
  /** The path to open after signing in, with query and hash. Not validated yet, see {@link safeTarget}. */
  redirect?: string
  'invitation-code'?: string
}

interface Requested {
  href: string
  search: Record<string, unknown>
}

/**
 * Returns the page to which a visitor is redirected: `/login`, or `/sign-up` if the requested query has `page=sign-up`.
 * Passes on the requested location unless it is `/` or `/spaces`, and a `code` as `invitation-code`.
 */
export function guestTarget({ href, search }: Requested): { to: '/login' | '/sign-up'; search: GuestSearch } {
  const target: GuestSearch = {}
  if (href !== '/' && href !== '/spaces') target.redirect = href
  if (typeof search.code === 'string' && search.code) target['invitation-code'] = search.code
  return { to: search.page === 'sign-up' ? '/sign-up' : '/login', search: target }
}

/**
 * Returns the path to open after signing in, with query and hash. `/spaces` if `path` is missing, is not absolute or
 * leaves this origin.
 */
export function safeTarget(path: string | undefined, origin: string = location.origin): string {
  if (!path?.startsWith('/')) return '/spaces'
  try {
    const url = new URL(path, origin)
    return url.origin === origin ? url.pathname + url.search + url.hash : '/spaces'
  } catch {
    return '/spaces'
  }
}

/** Returns whether the server handles the path instead of the admin, so that the browser has to load it. */
export function isServerPath(path: string): boolean {
  return /^\/(api|apiManagement)(?:[/?#]|$)/.test(path)
}

/** Parses {@link GuestSearch} from an untrusted query. */
export function readGuestSearch(search: Record<string, unknown>): GuestSearch {
  const target: GuestSearch = {}
  if (typeof search.redirect === 'string') target.redirect = search.redirect
  if (typeof search['invitation-code'] === 'string') target['invitation-code'] = search['invitation-code']
  return target
}

/** Requires a signed-in account. Redirects visitors to the login or sign-up page. */
export function requireAccount({ location }: { location: Requested }): void {
  if (!currentAccount()) throw redirect({ ...guestTarget(location), replace: true })
}

/** Requires an admin of the installation. Redirects other users to `/`, and visitors as {@link requireAccount} does. */
export function requireAdmin({ location }: { location: Requested }): void {
  requireAccount({ location })
  if (!currentAccount()?.isAdmin) throw redirect({ to: '/', replace: true })
}

/** Requires a visitor. Redirects signed-in users to their spaces. */
export function requireGuest(): void {
  if (currentAccount()) throw redirect({ to: '/spaces', replace: true })
}
