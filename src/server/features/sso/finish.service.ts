import type { AccountRow } from '#server/access/account.ts'
import { type AccountActor, accountActor, calledOf } from '#server/access/actor.ts'
import { leaveNoAudit, noteAudit, writeAudit } from '#server/access/audit.ts'
import type {
  AccountContext,
  Browser,
  PublicContext,
  ServerContext,
  TransactionContext,
} from '#server/access/context.ts'
import { type IdentityKey, rememberAs, whoHas } from '#server/access/known-as.ts'
import { holdSpace } from '#server/access/membership.ts'
import { signupMode } from '#server/access/sign-up.ts'
import { enterSpace, inTransaction, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import {
  type Admission,
  addAccountWithoutPassword,
  admitBySso,
  emailKey,
  findAccount,
  findAccountByEmail,
  readEmail,
} from '#server/features/accounts/accounts.service.ts'
import { applyGroups, roleByGroups } from '#server/features/group-roles/group-roles.service.ts'
import { revokeOfProvisioned, takeInvitation } from '#server/features/invitations/invitations.service.ts'
import {
  addSpaceMember,
  becomeProvisioned,
  findDirectoryPerson,
  findMemberOfAccount,
  isDeactivated,
  isRemoved,
} from '#server/features/members/members.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import type { SsoRefusalReason } from '#shared/contract/sso.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import type { Language } from '#shared/languages.ts'
import type { Answered } from './begin.service.ts'
import { type Claims, refused, SsoRefusal } from './claims.ts'
import { domainOf } from './domains.ts'
import { findDirectoryUser } from './identities.repository.ts'
import { tellRefusal } from './refusals.ts'
import { openKept } from './secrets.ts'
import * as signIns from './sign-ins.repository.ts'
import { findOpenById, type OpenConnection } from './sso.repository.ts'

/** The browser that finishes a sign-in, with the account and the language of its user. */
export interface Finisher {
  browser: Browser
  /** The account of the browser's session. null: not signed in. */
  account: AccountRow | null
  language: Language
}

type Address = { email: string; key: string }

export interface Place {
  space: string
  popup: boolean
  redirect: string | null
}
/**
 * `email` null: the user has not shown that they may see the email address. `isOwn`: the browser is signed in to the
 * account.
 */
interface Link {
  email: string | null
  isOwn: boolean
  spaceName: string
}
export type Outcome = { admission: Admission } | { link: Link }
export type Finished = Place & Outcome

export interface Opened {
  row: signIns.SignInRow
  connection: OpenConnection
  claims: Claims
  invitationCode: string | null
  /** The account that started an SSO test. Undefined: a normal sign-in. */
  triedBy: string | undefined
  identity: IdentityKey
  place: Place
}

/**
 * Opens an answered sign-in. Throws `SsoHasEnded` for a code that is invalid, expired, from another browser, or from an
 * SSO test, and if the connection is incomplete or has switched to the other protocol.
 */
async function open(ctx: ServerContext, code: string, { browser }: Finisher): Promise<Opened> {
  const opened = await openAnswered(ctx, code, browser)
  if (opened.triedBy !== undefined) throw new AppError('SsoHasEnded')
  return opened
}

/** Opens an answered sign-in like {@link open}, but also accepts an SSO test. */
export async function openAnswered(
  { db, services }: ServerContext,
  code: string,
  browser: Browser,
): Promise<Opened> {
  const row = await signIns.findAnswered(db, code, browser.sso)
  const connection = row && (await findOpenById(db, row.connectionId))
  if (!row || !connection) throw new AppError('SsoHasEnded')
  const { kind, claims, invitationCode, triedBy } = openKept<Answered>(services.secrets, row)
  // An answer by the former protocol is invalid after the space has switched protocols, except in an SSO test.
  if (kind !== connection.kind && triedBy === undefined) throw new AppError('SsoHasEnded')
  const { issuer, subject } = claims
  const identity = { connectionId: connection.id, issuer, subject }
  return {
    row,
    connection,
    claims,
    invitationCode,
    triedBy,
    identity,
    place: { space: connection.spaceUid, popup: row.popup, redirect: row.target },
  }
}

/**
 * Signs in the user named by the identity provider. The owner of an account that was created by other means must link
 * it first ({@link linkSso}). Throws `SsoHasEnded`, `SsoAddressNotAllowed`, `SsoAddressIsMissing`,
 * `SsoAddressIsNotVerified`, `SsoNotInvited`, `SsoDeactivated`, `SignupIsClosed`, and `InvalidInvitationCode`. Throws
 * `SsoRefused` for the email address of an account that SSO created for another user, and in the cases of {@link
 * findExpected}.
 */
export function finishSso(ctx: PublicContext, code: string, finisher: Finisher): Promise<Finished> {
  return tellingRefusals(ctx, (see) =>
    inTransaction(ctx.db, async (tx) => {
      const inside = { ...ctx, db: tx }
      const opened = see(await open(inside, code, finisher))
      const outcome = await decide(inside, opened, finisher)
      if ('link' in outcome) leaveNoAudit(ctx)
      return { ...opened.place, ...outcome }
    }),
  )
}

/** Signs in the user named by the identity provider, or returns the account that they must link first. */
export async function decide(
  ctx: PublicContext & TransactionContext,
  opened: Opened,
  finisher: Finisher,
): Promise<Outcome> {
  const { db: tx } = ctx
  const { connection, identity } = opened
  const known = await signIns.findIdentity(tx, identity)
  if (known) return { admission: await admit(ctx, opened, finisher, known.accountId) }
  const address = requireAddress(opened)
  const account = await findExpected(tx, opened, address)
  if (account) {
    // An account that this connection created cannot be linked to another subject while the identity of its user
    // exists. Otherwise any user who can set this address at the identity provider would get the account.
    if (await signIns.madeAccount(tx, identity, account.id))
      throw refused('otherSubject', 'the account of this address has another subject')
    const isOwn = finisher.account?.id === account.id
    // The directory may list the named address for an account that has another address of its own. Only the owner may
    // see the account's own address.
    const isKnown = isOwn || emailKey(account.email) === address.key
    return { link: { email: isKnown ? account.email : null, isOwn, spaceName: connection.spaceName } }
  }
  const accountId = await makeAccount(ctx, opened, finisher, address)
  await signIns.putIdentity(tx, identity, { spaceId: connection.spaceId, accountId, madeAccount: true })
  return { admission: await admit(ctx, opened, finisher, accountId) }
}

/**
 * Runs `work`, which passes the opened sign-in to `see`. If `work` throws afterwards, records the refusal in the audit
 * log of the sign-in's space.
 */
async function tellingRefusals<T>(
  { db, origin }: PublicContext,
  work: (see: (opened: Opened) => Opened) => Promise<T>,
): Promise<T> {
  let seen: Opened | undefined
  try {
    return await work((opened) => {
      seen = opened
      return opened
    })
  } catch (error) {
    if (seen) await tellRefusal(db, seen.connection, error, origin, seen.claims.email)
    throw error
  }
}

/**
 * Links the caller's account to the identity, and signs in. The account must be the one that {@link findExpected}
 * returns. The contract requires a session that was not created by SSO alone. Throws `Forbidden` for another account,
 * `SsoHasEnded`, and the errors of {@link finishSso} except `SignupIsClosed`.
 */
export function linkSso(
  ctx: AccountContext,
  code: string,
  finisher: Finisher,
): Promise<Place & { admission: Admission }> {
  return tellingRefusals(ctx, (see) =>
    inTransaction(ctx.db, async (tx) => {
      const inside = { ...ctx, db: tx }
      const opened = see(await open(inside, code, finisher))
      const { connection, identity, place } = opened
      const { accountId } = ctx.actor
      const expected = await findExpected(tx, opened, requireAddress(opened))
      if (expected?.id !== accountId) throw new AppError('Forbidden')
      if (await signIns.findIdentity(tx, identity)) throw new AppError('SsoHasEnded')
      const { spaceId } = connection
      await signIns.putIdentity(tx, identity, { spaceId, accountId, madeAccount: false })
      return { ...place, admission: await admit(inside, opened, finisher, accountId) }
    }),
  )
}

/**
 * Returns the email address from the identity provider, if the space accepts it from this provider. Otherwise returns
 * the reason for refusing it.
 */
function addressOf({ connection, claims }: Opened): Address | { problem: SsoRefusalReason } {
  if (claims.email === null) return { problem: claims.emailProblem ?? 'noEmail' }
  const address = readEmail(claims.email)
  const domain = domainOf(claims.email.toLowerCase())
  if ('issue' in address || domain === null) return { problem: 'wrongEmail' }
  if (!connection.domains.includes(domain)) return { problem: 'domain' }
  if (claims.managedBy === undefined) return address
  const manager = claims.managedBy === null ? null : domainOf(claims.managedBy.toLowerCase())
  return manager !== null && connection.domains.includes(manager) ? address : { problem: 'notManaged' }
}

/** Error codes for a missing or unverified address. The user gets these codes, because they can fix the address. */
const codesByProblem: Partial<Record<SsoRefusalReason, ErrorCode>> = {
  noEmail: 'SsoAddressIsMissing',
  emailNotVerified: 'SsoAddressIsNotVerified',
}

function requireAddress(opened: Opened): Address {
  const address = addressOf(opened)
  if ('problem' in address)
    throw new AppError(codesByProblem[address.problem] ?? 'SsoAddressNotAllowed', {
      cause: new SsoRefusal(address.problem, 'the address cannot be used'),
    })
  return address
}

/**
 * Returns the account that a first-time user must link: the account with their email address, or the account of the
 * member that the directory lists under this address. null: no such account. Requires that the user is a member or may
 * become one: the connection creates members (unless the user was removed), the directory lists the user, or they come
 * with an invitation. Otherwise throws `SsoNotInvited` or `SsoDeactivated`. Throws `SsoRefused` for an address that the
 * directory assigns to several users, or to a member with an unverified account.
 */
async function findExpected(
  tx: Tx,
  { connection, invitationCode, identity }: Opened,
  { email, key }: Address,
): Promise<AccountRow | null> {
  const scope = spaceScope(connection.spaceId)
  const account = await findAccountByEmail(tx, key)
  if (account && (await findMemberOfAccount(tx, scope, account.id)) !== null) return account
  const person = onlyOne(await findDirectoryPerson(tx, scope, email))
  if (person && !person.isProvisioned) return requireVerified(await findAccount(tx, person.accountId))
  const accountId = account?.id ?? null
  const isExpected =
    invitationCode !== null ||
    person !== null ||
    (connection.provisions && !(await isRemoved(tx, scope, { accountId, address: email, identity })))
  if (!isExpected) throw await notExpected(tx, scope, email)
  return account
}

/** Returns the error for a user who signed in at the identity provider but may not become a member. */
async function notExpected(tx: Tx, scope: SpaceScope, email: string | null): Promise<AppError> {
  const isEnded = email !== null && (await isDeactivated(tx, scope, email))
  return new AppError(isEnded ? 'SsoDeactivated' : 'SsoNotInvited')
}

/**
 * Requires a verified account for a member who signs in with another email address. Members who sign in by SSO count as
 * verified, so an unverified account must not be linked.
 */
function requireVerified(found: { account: AccountRow } | null): AccountRow {
  if (!found?.account.emailVerified)
    throw refused('unverifiedAccount', 'the member of this address has an account that is not verified')
  return found.account
}

function onlyOne<T>(person: T | 'several'): T {
  if (person === 'several') throw refused('severalUsers', 'the directory gives this address to several users')
  return person
}

async function makeAccount(
  { db: tx, services: { config } }: TransactionContext,
  { claims }: Opened,
  { language }: Finisher,
  { email, key }: Address,
): Promise<string> {
  if ((await signupMode(tx, config)) === 'closed') throw new AppError('SignupIsClosed')
  return (await addAccountWithoutPassword(tx, { email, key, name: claims.name, language })).id
}

/**
 * Makes the account a member if allowed, assigns the role of its groups, and creates a session. The session is created
 * first, because the transaction enters the space afterwards.
 */
async function admit(
  ctx: PublicContext & TransactionContext,
  opened: Opened,
  finisher: Finisher,
  accountId: string,
): Promise<Admission> {
  const { db: tx, origin } = ctx
  const { row, connection, claims, invitationCode, identity } = opened
  const { spaceId, id: connectionId } = connection
  const { browser, account } = finisher
  const continues = account?.id === accountId ? browser.session : null
  const admission = await admitBySso(ctx, browser, accountId, { spaceId, connectionId, continues })
  await signIns.deleteSignIn(tx, row.id)
  const actor = accountActor(admission.account)
  const { id: objectId, name, email } = admission.account
  const { groupsProblem } = claims
  const facts = {
    issuer: identity.issuer.slice(0, 200),
    // Missing groups are not reported as a problem, because most identity providers send none.
    ...(groupsProblem && groupsProblem !== 'missing' ? { groupsProblem } : {}),
  }
  noteAudit(ctx, { objectId, objectName: name || email, facts })
  const scope = spaceScope(spaceId)
  const taken =
    invitationCode === null
      ? null
      : await takeInvitation(ctx, actor, invitationCode, spaceId).catch(whenMember)
  // The entry of the sign-in must precede the entries about its results. It belongs to the log of this space.
  await ctx.audit?.write(tx, scope)
  await enterSpace(tx, scope)
  if (taken?.isNew) await writeJoining(ctx, taken, 'invitation', actor)
  const said = addressOf(opened)
  const address = 'problem' in said ? null : said
  if (address) {
    // The directory may later remove this user under any address that the user signed in with.
    await rememberAs(tx, accountId, whoHas(address.email))
    await becomeWhomDirectoryMade(tx, scope, accountId, address)
  }
  if ((await findMemberOfAccount(tx, scope, accountId)) === null) {
    // Removed members can only return by an invitation or the directory.
    const wasRemoved = await isRemoved(tx, scope, { accountId, address: address?.email ?? null, identity })
    if (!connection.provisions || wasRemoved) throw await notExpected(tx, scope, address?.email ?? null)
    const role = await roleByGroups({ db: tx, scope }, claims.groups)
    const memberId = await addSpaceMember(
      { db: tx, services: ctx.services, scope, space: connection },
      accountId,
      role,
    )
    await recordEvent(tx, scope, 'member.joined', { memberId, role }, { actor })
    await writeJoining(ctx, { scope, memberId, role }, 'sso', actor)
  }
  // A new member already has a role in the space, but none in its apps.
  await applyGroups({ db: tx, scope, actor, ...origin }, accountId, claims.groups)
  return admission
}

/**
 * Merges the member that the directory provisioned for this address into the account. A member who is listed in the
 * directory stays unchanged, whatever their addresses. Throws `SsoRefused` if the address of a new member belongs to
 * several users of the directory.
 */
async function becomeWhomDirectoryMade(
  tx: Tx,
  scope: SpaceScope,
  accountId: string,
  { email }: Address,
): Promise<void> {
  const own = await findMemberOfAccount(tx, scope, accountId)
  if (own !== null && (await findDirectoryUser(tx, scope, own))) return
  const found = await findDirectoryPerson(tx, scope, email)
  if (own !== null && found === 'several') return
  const person = onlyOne(found)
  if (!person?.isProvisioned) return
  const made = person.memberId
  await holdSpace(tx, scope)
  // The mailed invitation is obsolete.
  if ((await becomeProvisioned(tx, scope, made, accountId)) === made)
    await revokeOfProvisioned({ db: tx, scope }, made)
}

/** Writes the audit entry for a membership that begins with a sign-in, in addition to the entry of the sign-in. */
async function writeJoining(
  { db, origin }: PublicContext,
  { scope, memberId, role }: { scope: SpaceScope; memberId: string; role: string },
  by: 'invitation' | 'sso',
  actor: AccountActor,
): Promise<void> {
  await writeAudit(db, scope, {
    act: 'member.joinSpace',
    outcome: 'done',
    actor,
    ...origin,
    object: { kind: 'member', id: memberId, name: calledOf(actor) },
    details: { changes: [{ key: 'roleId', after: role }], by },
  })
}

/** For `.catch()`: an existing member needs no invitation and is signed in anyway. */
function whenMember(error: unknown): null {
  if (error instanceof AppError && error.code === 'InvitedAccountAlreadyExists') return null
  throw error
}
