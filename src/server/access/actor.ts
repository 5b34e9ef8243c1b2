import type { SystemReason } from '#shared/audit.ts'
import type { Language } from '#shared/languages.ts'
import type { AccountRow } from './account.ts'

/** A signed-in user. `source`: `admin` in a browser and with a program key; no code sets `api` yet. */
export interface AccountActor {
  kind: 'account'
  accountId: string
  /** May be empty; see {@link calledOf}. */
  name: string
  email: string
  language: Language
  /** Whether the account is an admin of the installation. */
  isAdmin: boolean
  source: 'admin' | 'api'
}

/** A directory with the SCIM token of a space, or a program with an API token. */
export interface TokenActor {
  kind: 'token'
  tokenId: string
  name: string
}

/** A background job, started by an account, by cron or by an event. */
export interface JobActor {
  kind: 'job'
  id: string
  /** Name of the kind of job. */
  name: string
  /** The account that requested the job. It owns the objects that the job creates. */
  askedBy?: string | undefined
}

/** The installation itself, which acts without the rights of a user. */
export interface SystemActor {
  kind: 'system'
  /** Name of the job, event consumer or service that acts. */
  name: string
  reason: SystemReason
  /** The account that owns the objects that are created. */
  askedBy?: string | undefined
}

/** A visitor of a site, who needs no account. */
export interface VisitorActor {
  kind: 'visitor'
  /** Name of the form that the visitor sends. */
  name: string
}

export type Actor = AccountActor | TokenActor | JobActor | SystemActor | VisitorActor

/** Returns the actor for a signed-in account, with the source `admin`. */
export const accountActor = ({ id, name, email, language, isAdmin }: AccountRow): AccountActor => ({
  kind: 'account',
  accountId: id,
  name,
  email,
  language,
  isAdmin,
  source: 'admin',
})

/** Returns the name shown to other users: the e-mail address if the name is empty. */
export const calledOf = ({ name, email }: Pick<AccountActor, 'name' | 'email'>) => name || email

/** Returns the account that owns the objects of this actor. null: there is none. */
export function accountOf(actor: Actor): string | null {
  if (actor.kind === 'account') return actor.accountId
  return actor.kind === 'job' || actor.kind === 'system' ? (actor.askedBy ?? null) : null
}

/** Returns the `_id` of the account or token to which an idempotency key of this actor belongs. null: neither. */
export const keyOwnerOf = (actor: Actor): string | null =>
  actor.kind === 'token' ? actor.tokenId : accountOf(actor)

/** Returns the origin of a write, for the history: `admin`, `api`, or the name of a job, service or form. */
export function sourceOf(actor: Actor): string {
  if (actor.kind === 'account') return actor.source
  return actor.kind === 'token' ? 'api' : actor.name
}

/**
 * Returns the name of a program, job, service or form. null for an account, which the history identifies by its id
 * because its name may change.
 */
export function nameOf(actor: Actor): string | null {
  return actor.kind === 'account' ? null : actor.name
}
