import type { Language } from '#shared/languages.ts'
import type { AccountRow } from './account.ts'

/** A signed-in person: `admin` for a session of the admin, `api` for a personal key. */
export interface AccountActor {
  kind: 'account'
  accountId: string
  /** May be empty; see {@link calledOf}. */
  name: string
  email: string
  language: Language
  /** Administrator of the installation. */
  isAdmin: boolean
  source: 'admin' | 'api'
}

/** A program that holds a token of the space. */
export interface TokenActor {
  kind: 'token'
  tokenId: string
  name: string
}

/** The installation itself, running a job that was requested by somebody or scheduled. */
export interface JobActor {
  kind: 'job'
  /** Id of this run. */
  id: string
  /** Name of the kind of job. */
  name: string
  /** The account that requested the job and owns what it creates. */
  askedBy?: string | undefined
}

/** Who acts in a use-case. */
export type Actor = AccountActor | TokenActor | JobActor

/** The actor for an account in the admin. */
export const accountActor = ({ id, name, email, language, isAdmin }: AccountRow): AccountActor => ({
  kind: 'account',
  accountId: id,
  name,
  email,
  language,
  isAdmin,
  source: 'admin',
})

/** The name shown to others: the address if the name is empty. */
export const calledOf = ({ name, email }: Pick<AccountActor, 'name' | 'email'>) => name || email

/** The account that owns what this actor creates; null for a program or a scheduled job. */
export function accountOf(actor: Actor): string | null {
  if (actor.kind === 'account') return actor.accountId
  return actor.kind === 'job' ? (actor.askedBy ?? null) : null
}

/** The origin of a write, for the history: `admin`, `api`, or the job's name. */
export function sourceOf(actor: Actor): string {
  if (actor.kind === 'account') return actor.source
  return actor.kind === 'job' ? actor.name : 'api'
}

/** The name of a program or job; null for a person, who is identified by the account because its name may change. */
export function nameOf(actor: Actor): string | null {
  return actor.kind === 'account' ? null : actor.name
}
