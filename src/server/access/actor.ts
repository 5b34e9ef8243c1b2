import type { Language } from '#shared/languages.ts'
import type { AccountRow } from './account.ts'

/** A person, signed in: `admin` by the admin's session, `api` by a key of their own. */
export interface AccountActor {
  kind: 'account'
  accountId: string
  /** May be empty: {@link calledOf}. */
  name: string
  email: string
  language: Language
  /** Of the installation. */
  isAdmin: boolean
  source: 'admin' | 'api'
}

/** A program that holds a token of the space. */
export interface TokenActor {
  kind: 'token'
  tokenId: string
  name: string
}

/** The installation itself, in a job that somebody asked for or the clock. */
export interface JobActor {
  kind: 'job'
  /** Of this run. */
  id: string
  /** Of the kind of job. */
  name: string
  /** The account that asked for it: what the job makes is theirs. */
  askedBy?: string | undefined
}

/** Who acts in a use-case. */
export type Actor = AccountActor | TokenActor | JobActor

/** An account as the one who acts through the admin. */
export const accountActor = ({ id, name, email, language, isAdmin }: AccountRow): AccountActor => ({
  kind: 'account',
  accountId: id,
  name,
  email,
  language,
  isAdmin,
  source: 'admin',
})

/** What a person is called to others: by their address where they have given no name. */
export const calledOf = ({ name, email }: Pick<AccountActor, 'name' | 'email'>) => name || email

/** The account to which belongs what this actor makes; null for a program or the clock. */
export function accountOf(actor: Actor): string | null {
  if (actor.kind === 'account') return actor.accountId
  return actor.kind === 'job' ? (actor.askedBy ?? null) : null
}

/** Where a write comes from, for the history: `admin`, `api`, or the job's name. */
export function sourceOf(actor: Actor): string {
  if (actor.kind === 'account') return actor.source
  return actor.kind === 'job' ? actor.name : 'api'
}

/** What a program or a job is called; a person is known by their account, which may change its name. */
export function nameOf(actor: Actor): string | null {
  return actor.kind === 'account' ? null : actor.name
}
