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
import { holdSpace } from '#server/access/membership.ts'
import { signupMode } from '#server/access/sign-up.ts'
import { enterSpace, inTransaction, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import {
  type Admission,
  addAccountWithoutPassword,
  admitBySso,
  findAccount,
  findAccountByEmail,
  readEmail,
} from '#server/features/accounts/accounts.service.ts'
import { applyGroups, roleByGroups } from '#server/features/group-roles/group-roles.service.ts'
import { revokeOfProvisioned, takeInvitation } from '#server/features/invitations/invitations.service.ts'
import {
  addSpaceMember,
  becomeProvisioned,
  findMemberOfAccount,
  findProvisionedAt,
  isRemoved,
} from '#server/features/members/members.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { AppError } from '#shared/errors.ts'
import type { Language } from '#shared/languages.ts'
import type { Answered } from './begin.service.ts'
import type { Claims } from './claims.ts'
import { domainOf } from './domains.ts'
import { tellRefusal } from './refusals.ts'
import { openKept } from './secrets.ts'
import * as signIns from './sign-ins.repository.ts'
import { findOpenById, type OpenConnection } from './sso.repository.ts'

/** Who finishes a sign-in. */
export interface Finisher {
  browser: Browser
  /** Whose session it has. */
  account: AccountRow | null
  language: Language
}

type Address = { email: string; key: string }

export interface Place {
  space: string
  popup: boolean
  redirect: string | null
}
export type Outcome = { admission: Admission } | { link: { email: string; spaceName: string } }
export type Finished = Place & Outcome

export interface Opened {
  row: signIns.SignInRow
  connection: OpenConnection
  claims: Claims
  invitationCode: string | null
  /** The account that only tries the connection out. */
  triedBy: string | undefined
  identity: signIns.IdentityKey
  place: Place
}

/** Throws `SsoHasEnded` for a code that is none, of another browser, of a trial, or too old. */
async function open(ctx: ServerContext, code: string, { browser }: Finisher): Promise<Opened> {
  const opened = await openAnswered(ctx, code, browser)
  if (opened.triedBy !== undefined) throw new AppError('SsoHasEnded')
  return opened
}

/** The same, of a trial, too. */
export async function openAnswered(
  { db, services }: ServerContext,
  code: string,
  browser: Browser,
): Promise<Opened> {
  const row = await signIns.findAnswered(db, code, browser.sso)
  const connection = row && (await findOpenById(db, row.connectionId))
  if (!row || !connection) throw new AppError('SsoHasEnded')
  const { claims, invitationCode, triedBy } = openKept<Answered>(services.secrets, row)
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
 * Signs in whom the identity provider named. Who has an account that was made by other means is not let into it: they link
 * it first ({@link linkSso}). Throws `SsoHasEnded`, `SsoAddressNotAllowed`, `SsoNotInvited`, `SignupIsClosed`.
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

/** Lets in whom the identity provider named, or says which account they have to link first. */
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
  const account = await findAccountByEmail(tx, address.key)
  await requireExpected(tx, opened, account?.id ?? null, address)
  if (account && !(await signIns.madeAccount(tx, identity, account.id)))
    return { link: { email: account.email, spaceName: connection.spaceName } }
  const accountId = account?.id ?? (await makeAccount(ctx, opened, finisher, address))
  await signIns.putIdentity(tx, identity, { spaceId: connection.spaceId, accountId, madeAccount: true })
  return { admission: await admit(ctx, opened, finisher, accountId) }
}

/** Refused sign-ins are told to the space, once it is known which one it is. */
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
 * Links the account that is signed in by its own means, whose address is the one that the identity provider named. Throws
 * `SsoHasEnded`, `Forbidden` for another address, `SsoNotInvited`.
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
      const own = await findAccount(tx, ctx.actor.accountId)
      if (own?.emailKey !== requireAddress(opened).key) throw new AppError('Forbidden')
      if (await signIns.findIdentity(tx, identity)) throw new AppError('SsoHasEnded')
      const { spaceId } = connection
      await signIns.putIdentity(tx, identity, { spaceId, accountId: own.account.id, madeAccount: false })
      return { ...place, admission: await admit(inside, opened, finisher, own.account.id) }
    }),
  )
}

/** Whom the identity provider names, if it may speak for that address; null else. */
function addressOf({ connection, claims }: Opened): Address | null {
  if (claims.email === null) return null
  const address = readEmail(claims.email)
  const domain = domainOf(claims.email.toLowerCase())
  return 'issue' in address || domain === null || !connection.domains.includes(domain) ? null : address
}

function requireAddress(opened: Opened): Address {
  const address = addressOf(opened)
  if (address === null) throw new AppError('SsoAddressNotAllowed')
  return address
}

/**
 * Whoever comes first is a member already, or becomes one: the space has members made, its directory knows them, or somebody invited
 * them. Throws `SsoNotInvited`, before somebody links an account for nothing.
 */
async function requireExpected(
  tx: Tx,
  { connection, invitationCode }: Opened,
  accountId: string | null,
  { email }: Address,
): Promise<void> {
  const scope = spaceScope(connection.spaceId)
  const isExpected =
    invitationCode !== null ||
    (accountId !== null && (await findMemberOfAccount(tx, scope, accountId)) !== null) ||
    (await findProvisionedAt(tx, scope, email)) !== null ||
    (connection.provisions && !(await isRemoved(tx, scope, { accountId, address: email })))
  if (!isExpected) throw new AppError('SsoNotInvited')
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
 * Makes them a member if they are to be, gives them the role of their groups, and a session. From here on the transaction
 * is in the space, but for the session, which is made before.
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
  noteAudit(ctx, { objectId, objectName: name || email, facts: { issuer: identity.issuer.slice(0, 200) } })
  const scope = spaceScope(spaceId)
  const taken =
    invitationCode === null
      ? null
      : await takeInvitation(ctx, actor, invitationCode, spaceId).catch(whenMember)
  // The space's own log tells it: nobody there sees another one. In front of what follows from it.
  await ctx.audit?.write(tx, scope)
  await enterSpace(tx, scope)
  if (taken?.isNew) await writeJoining(ctx, taken, 'invitation', actor)
  const address = addressOf(opened)
  await becomeWhomDirectoryMade(tx, scope, accountId, address)
  if ((await findMemberOfAccount(tx, scope, accountId)) === null) {
    // Who was taken out of the space comes back by an invitation or its directory only.
    const wasRemoved = await isRemoved(tx, scope, { accountId, address: address?.email ?? null })
    if (!connection.provisions || wasRemoved) throw new AppError('SsoNotInvited')
    const role = await roleByGroups({ db: tx, scope }, claims.groups)
    const memberId = await addSpaceMember(tx, scope, accountId, role)
    await recordEvent(tx, scope, 'member.joined', { memberId, role }, { actor })
    await writeJoining(ctx, { scope, memberId, role }, 'sso', actor)
  }
  // Who has just come has their role in the space already, and none in its apps.
  await applyGroups({ db: tx, scope, actor, ...origin }, accountId, claims.groups)
  return admission
}

/**
 * The directory of the space has made a member of the address that the space's identity provider names: this is them. Its
 * word is good for this space; the address stays unconfirmed for all others.
 */
async function becomeWhomDirectoryMade(
  tx: Tx,
  scope: SpaceScope,
  accountId: string,
  address: Address | null,
): Promise<void> {
  const made = address && (await findProvisionedAt(tx, scope, address.email))
  if (!made) return
  await holdSpace(tx, scope)
  // What was mailed to them has nothing more to say.
  if ((await becomeProvisioned(tx, scope, made, accountId)) === made)
    await revokeOfProvisioned({ db: tx, scope }, made)
}

/** The entry of the audit log for a membership that begins with a sign-in, beside that of the sign-in. */
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

/** For `.catch()`: who is a member already has no use for an invitation, and signs in all the same. */
function whenMember(error: unknown): null {
  if (error instanceof AppError && error.code === 'InvitedAccountAlreadyExists') return null
  throw error
}
