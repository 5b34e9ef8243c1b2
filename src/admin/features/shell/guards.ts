import { redirect } from '@tanstack/react-router'
import { currentAccount } from '#admin/lib/session.ts'

/** What the log-in and sign-up pages read from their address. */
export interface GuestSearch {
  /** Where to go afterwards: a path of this admin with its query. */
  redirect?: string
  'invitation-code'?: string
}

interface Requested {
  href: string
  search: Record<string, unknown>
}

/**
 * Where a visitor who asked for `requested` is sent: to `/login`, or `/sign-up` when the query says `page=sign-up`.
 * The location comes along, and a `code` of the query as `invitation-code`.
 */
export function guestTarget({ href, search }: Requested): { to: '/login' | '/sign-up'; search: GuestSearch } {
  const target: GuestSearch = {}
  if (href !== '/' && href !== '/spaces') target.redirect = href
  if (typeof search.code === 'string' && search.code) target['invitation-code'] = search.code
  return { to: search.page === 'sign-up' ? '/sign-up' : '/login', search: target }
}

/** The path to go to after signing in: only one of this origin, else `/spaces`. */
export function safeTarget(path: string | undefined, origin: string = location.origin): string {
  if (!path?.startsWith('/')) return '/spaces'
  try {
    const url = new URL(path, origin)
    return url.origin === origin ? url.pathname + url.search + url.hash : '/spaces'
  } catch {
    return '/spaces'
  }
}

/** Is this answered by the server itself, not by a page of the admin? Then the browser has to load it. */
export function isServerPath(path: string): boolean {
  return /^\/(api|apiManagement)(?:[/?#]|$)/.test(path)
}

/** Reads {@link GuestSearch} from a query that anybody may have written. */
export function readGuestSearch(search: Record<string, unknown>): GuestSearch {
  const target: GuestSearch = {}
  if (typeof search.redirect === 'string') target.redirect = search.redirect
  if (typeof search['invitation-code'] === 'string') target['invitation-code'] = search['invitation-code']
  return target
}

/** Logged-in only. */
export function requireAccount({ location }: { location: Requested }): void {
  if (!currentAccount()) throw redirect({ ...guestTarget(location), replace: true })
}

/** Admin only (the installation's): others go to `/`. */
export function requireAdmin({ location }: { location: Requested }): void {
  requireAccount({ location })
  if (!currentAccount()?.isAdmin) throw redirect({ to: '/', replace: true })
}

/** Guest only: who is signed in goes to the spaces. */
export function requireGuest(): void {
  if (currentAccount()) throw redirect({ to: '/spaces', replace: true })
}
