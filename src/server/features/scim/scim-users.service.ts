import type { SpaceContext } from '#server/access/context.ts'
import { rememberAs, whoHas } from '#server/access/known-as.ts'
import { lockSpace } from '#server/access/membership.ts'
import type { KeptRoles } from '#server/db/tables.ts'
import { readEmail } from '#server/features/accounts/accounts.service.ts'
import { roleByGroups, rolesOfGroups } from '#server/features/group-roles/group-roles.service.ts'
import { inviteProvisioned, revokeOfProvisioned } from '#server/features/invitations/invitations.service.ts'
import {
  deleteMember,
  deleteOtherMembersAt,
  forgetAddresses,
  insertProvisionedMember,
  rememberAddresses,
  tokensLeftBy,
} from '#server/features/members/members.service.ts'
import { rightsOfRole } from '#server/features/roles/roles.service.ts'
import { listSsoDomains } from '#server/features/security/security.service.ts'
import { domainOf } from '#server/lib/email-domain.ts'
import { newId } from '#server/lib/ids.ts'
import type { AuditDetails } from '#shared/audit.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { isStorableText } from '#shared/fields/field-type.ts'
import { idPattern } from '#shared/identifiers.ts'
import { preferredLanguage } from '#shared/languages.ts'
import { shownName } from '#shared/unicode.ts'
import { giveRolesOfGroups } from './directory-roles.ts'
import { findConnection } from './scim-connection.repository.ts'
import { grouped, keyOf, recordAct } from './scim-context.ts'
import { findGroupsOf } from './scim-groups.repository.ts'
import * as rows from './scim-users.repository.ts'

export interface UserSearch {
  id?: string | undefined
  ids?: readonly string[] | undefined
  userName?: string | undefined
  externalId?: string | undefined
}

/** A user as sent by the directory. `attributes` use the names of SCIM and contain only supported ones. */
export interface UserInput {
  userName: string
  externalId: string | null
  isActive: boolean
  email: string
  /** Display name. */
  name: string
  /** Language of mails, in the format of the directory. */
  language: string | undefined
  attributes: Record<string, unknown>
}

export type UserView = rows.UserRow & { groups: { id: string; name: string }[] }

/** Returns a page of the users, oldest first, and their total number. `page` null: all users. */
export async function findUsers(
  ctx: SpaceContext,
  { userName, ...rest }: UserSearch,
  page: { skip: number; limit: number } | null,
): Promise<{ users: UserView[]; total: number }> {
  const search = { ...rest, userNameKey: userName === undefined ? undefined : keyOf(userName) }
  const found = await rows.listUsers(ctx.db, ctx.scope, search, page)
  const total = page ? await rows.countUsers(ctx.db, ctx.scope, search) : found.length
  return { users: await withGroups(ctx, found), total }
}

async function withGroups(ctx: SpaceContext, found: rows.UserRow[]): Promise<UserView[]> {
  const all = await findGroupsOf(
    ctx.db,
    ctx.scope,
    found.map(({ id }) => id),
  )
  const byUser = grouped(all, ({ userId }) => userId)
  return found.map((user) => ({ ...user, groups: byUser.get(user.id) ?? [] }))
}

/** Throws 404 if the user does not exist. */
export async function requireUser(ctx: SpaceContext, id: string): Promise<UserView> {
  const [user] = idPattern.test(id) ? (await findUsers(ctx, { id }, null)).users : []
  if (!user) throw new AppError('NotFound')
  return user
}

/** Locks the space, so that members, groups and roles do not change between reading and writing. */
export const lockDirectory = (ctx: SpaceContext) => lockSpace(ctx, 'member.manage')

/**
 * Creates a user, and makes an active user a member. The space must be locked. Throws `EmailIsAlreadyInUse` for an
 * existing user, `ValidationFailed`.
 */
export async function createUser(ctx: SpaceContext, given: UserInput): Promise<UserView> {
  const { input, known } = await check(ctx, given, null)
  const id = newId()
  const memberId = newId()
  await rows.insertUser(ctx.db, ctx.scope, { ...known, id, memberId })
  if (!input.isActive) {
    await endOthers(ctx, memberId, known)
    await rows.updateUser(ctx.db, ctx.scope, id, { ended: nothingKept })
  }
  const role = input.isActive ? await roleByGroups(ctx, []) : null
  if (role !== null) await begin(ctx, memberId, input, role)
  await rememberState(ctx, known, input.isActive)
  await recordAct(ctx, 'member.provision', { id: memberId, name: called(input) }, changed(null, input, role))
  return rememberKnown(ctx, id)
}

/**
 * Stores the user as sent by the directory. Ends the membership if the user was deactivated, and begins it again if the
 * user was reactivated. If a person has claimed the membership, their account stays unchanged. The space must be
 * locked. Throws `EmailIsAlreadyInUse`, `OtherAdminMembersNotExist`, `SsoExemptAdminIsNeeded`, `ValidationFailed`.
 */
export async function updateUser(ctx: SpaceContext, before: UserView, given: UserInput): Promise<UserView> {
  const { input, known } = await check(ctx, given, before.id)
  const isEnding = !input.isActive && before.kept === null
  const own = isEnding && before.isActive ? await end(ctx, before) : null
  const others = isEnding ? await endOthers(ctx, before.memberId, before, known) : 0
  const isSame =
    others === 0 &&
    before.isKnown &&
    before.userName === known.userName &&
    before.externalId === known.externalId &&
    before.isActive === input.isActive &&
    isDeepEqual(before.attributes, known.attributes)
  if (isSame) return before
  if (!before.isKnown)
    await rows.insertUser(ctx.db, ctx.scope, { ...known, id: before.id, memberId: before.memberId })
  if (before.isActive && input.isActive) await describeAnew(ctx, before, input)
  const comesBack = !before.isActive && input.isActive
  const returned = comesBack ? await comeBack(ctx, before, input) : null
  await rows.updateUser(ctx.db, ctx.scope, before.id, {
    known,
    ...(isEnding ? { ended: own ?? nothingKept } : comesBack ? { ended: null } : {}),
  })
  await rememberState(ctx, known, input.isActive)
  const act = own ? 'member.deprovision' : comesBack ? 'member.reprovision' : 'member.update'
  const object = { id: before.memberId, name: called(input, before) }
  const role = returned ? returned.role : own ? null : before.role
  const left = own?.accountId ? await tokensLeftBy(ctx, own.accountId) : {}
  await recordAct(ctx, act, object, { ...changed(before, input, role), ...left })
  for (const { app, role: after } of returned?.apps ?? [])
    await recordAct(ctx, 'member.addToApp', object, { app, changes: [{ key: 'roleId', after }] })
  if (comesBack) {
    const { accountId } = await requireUser(ctx, before.id)
    await giveRolesOfGroups(ctx, [{ accountId, before: [], now: namesOf(before.groups) }])
  }
  return rememberKnown(ctx, before.id)
}

/**
 * Returns the user. Records all proven email addresses of the user for their account, so that the person is recognised
 * by these addresses even after admins remove the member.
 */
async function rememberKnown(ctx: SpaceContext, id: string): Promise<UserView> {
  const user = await requireUser(ctx, id)
  if (user.accountId !== null) {
    const proven = await provenAddresses(ctx, addressesOf(user))
    if (proven.length > 0) await rememberAs(ctx.db, user.accountId, ...new Set(proven.map(whoHas)))
  }
  return user
}

/**
 * Returns the name of a user for the audit log. If the directory sent no name, returns the former name, the email
 * address or the `userName`.
 */
function called(
  { name, email, userName }: Pick<UserView | UserInput, 'name' | 'email' | 'userName'>,
  before?: Pick<UserView, 'name'>,
): string {
  return name || before?.name || email || userName
}

/**
 * Ends the membership and deletes the user. The space must be locked. Throws `OtherAdminMembersNotExist`,
 * `SsoExemptAdminIsNeeded`.
 */
export async function deleteUser(ctx: SpaceContext, user: UserView): Promise<void> {
  if (user.isActive) await deleteMember(ctx, user.memberId)
  if (user.isKnown && user.kept === null) await endOthers(ctx, user.memberId, user)
  await rememberState(ctx, user, false)
  await rows.deleteUser(ctx.db, ctx.scope, user.id)
  const left = user.accountId === null ? {} : await tokensLeftBy(ctx, user.accountId)
  await recordAct(ctx, 'member.deprovision', { id: user.memberId, name: called(user) }, left)
}

type Addressed = Pick<rows.UserRow, 'userName' | 'attributes'>

/** Returns all email addresses of a user, and the `userName`, which may be an address. */
function addressesOf({ userName, attributes }: Addressed): string[] {
  const emails = Array.isArray(attributes?.emails) ? (attributes.emails as { value?: unknown }[]) : []
  return [userName, ...emails.flatMap(({ value }) => (typeof value === 'string' ? [value] : []))]
}

/**
 * Returns the addresses whose domains the space has proven. A directory's statements about addresses in other domains
 * must not apply to an account, which belongs to other spaces too. Neither must they end another person's membership.
 */
async function provenAddresses(ctx: SpaceContext, addresses: readonly string[]): Promise<string[]> {
  const domains = await listSsoDomains(ctx.db, ctx.scope)
  return addresses.filter((address) => {
    const domain = address.includes('@') ? domainOf(address.toLowerCase()) : null
    return domain !== null && domains.includes(domain)
  })
}

/**
 * Records all email addresses of an inactive or deleted user, so that signing in by SSO with one of them does not make
 * the user a member. Deletes these records for an active user.
 */
async function rememberState(ctx: SpaceContext, user: Addressed, isActive: boolean): Promise<void> {
  await (isActive ? forgetAddresses : rememberAddresses)(ctx.db, ctx.scope, addressesOf(user))
}

/**
 * Ends other memberships under one of the user's proven addresses, for example a membership by SSO that began before
 * the directory sent that address. Returns the number of ended memberships.
 */
async function endOthers(ctx: SpaceContext, memberId: string, ...known: Addressed[]): Promise<number> {
  const addresses = await provenAddresses(ctx, known.flatMap(addressesOf))
  const others = await deleteOtherMembersAt(ctx, addresses, memberId)
  for (const { memberId: id, name, accountId } of others)
    await recordAct(ctx, 'member.deprovision', { id, name }, await tokensLeftBy(ctx, accountId))
  return others.length
}

/** State of a user whose membership the directory ended, with nothing to restore. */
const nothingKept = { accountId: null, kept: { role: null, apps: [] } }

/**
 * Stores a user of the directory for each of these members that the directory has not sent, so that they can be in a
 * group.
 */
export async function makeAllKnown(ctx: SpaceContext, users: readonly UserView[]): Promise<void> {
  const unknown = users.filter(({ isKnown }) => !isKnown)
  if (unknown.length === 0) return
  const known = unknown.map(({ id, memberId, userName, name, email }) => ({
    id,
    memberId,
    userName,
    userNameKey: keyOf(userName),
    externalId: null,
    attributes: {
      ...(name ? { displayName: name } : {}),
      emails: [{ value: email, type: 'work', primary: true }],
    },
  }))
  await rows.insertUsers(ctx.db, ctx.scope, known)
}

async function check(
  ctx: SpaceContext,
  input: UserInput,
  beside: string | null,
): Promise<{ input: UserInput; known: rows.KnownUser }> {
  const { userName, externalId, attributes } = input
  if (!isStorableText(JSON.stringify(attributes))) throw invalid('attributes', 'InvalidCharacter')
  const address = readEmail(input.email)
  if ('issue' in address) throw invalid('emails', address.issue.code)
  const userNameKey = keyOf(userName)
  // A duplicate address must not prevent the deactivation of an existing user.
  const ends = beside !== null && !input.isActive
  if (!ends && (await rows.isTaken(ctx.db, ctx.scope, { userNameKey, email: address.email, beside })))
    throw new AppError('EmailIsAlreadyInUse', { issues: [{ path: 'userName', code: 'DuplicatedValue' }] })
  return {
    // A directory can send names that are invisible or contain line breaks.
    input: { ...input, email: address.email, name: shownName(input.name, '') },
    known: { userName, userNameKey, externalId, attributes },
  }
}

/**
 * Begins a membership with a provisioned account, which cannot sign in, and invites a person to claim the membership.
 */
async function begin(
  ctx: SpaceContext,
  memberId: string,
  { email, name, language }: UserInput,
  role: string,
): Promise<void> {
  const account = { id: newId(), email, name, language: preferredLanguage(language ? [language] : []) }
  await rows.provisionAccount(ctx.db, account)
  await insertProvisionedMember(ctx, account.id, role, { memberId })
  await invite(ctx, { memberId, email, role, language: account.language })
}

/**
 * Updates the name, email address and language of a provisioned account. If the address changes, revokes the former
 * invitation and invites the user at the new address.
 */
async function describeAnew(
  ctx: SpaceContext,
  { accountId, memberId, isProvisioned, role, email }: UserView,
  input: UserInput,
): Promise<void> {
  if (!isProvisioned || accountId === null || role === null) return
  const language = preferredLanguage(input.language ? [input.language] : [])
  await rows.changeProvisionedAccount(ctx.db, {
    id: accountId,
    email: input.email,
    name: input.name,
    language,
  })
  if (email?.toLowerCase() === input.email.toLowerCase()) return
  await revokeOfProvisioned(ctx, memberId)
  await invite(ctx, { memberId, email: input.email, role, language })
}

async function invite(ctx: SpaceContext, person: Parameters<typeof inviteProvisioned>[1]): Promise<void> {
  const connection = await findConnection(ctx.db, ctx.scope)
  if (connection?.sends_mail) await inviteProvisioned(ctx, person)
}

const namesOf = (groups: UserView['groups']) => groups.map(({ name }) => name)

/**
 * Ends a membership. Returns its account (null for an unclaimed one) and the roles assigned by members, to be restored
 * later. Omits the roles that the user's groups assign, because the groups at the time of the return assign roles
 * again.
 */
async function end(
  ctx: SpaceContext,
  user: UserView,
): Promise<{ accountId: string | null; kept: KeptRoles }> {
  const apps = await rows.findAppRoles(ctx.db, ctx.scope, user.memberId)
  const byGroups = await rolesOfGroups(ctx, namesOf(user.groups))
  await deleteMember(ctx, user.memberId)
  return {
    accountId: user.isProvisioned ? null : user.accountId,
    kept: {
      role: user.role === byGroups.role ? null : user.role,
      apps: apps.filter(([id, role]) => byGroups.apps.get(id) !== role),
    },
  }
}

/**
 * Restores the membership with the stored role, or with the role of the user's groups if no role is stored or the role
 * was deleted. If the directory itself ended the membership of a claimed account, the account is a member again.
 * Otherwise the user is invited like a new one. Returns the role, and the restored roles in apps.
 */
async function comeBack(
  ctx: SpaceContext,
  { memberId, formerAccountId, kept, groups }: UserView,
  input: UserInput,
): Promise<{ role: string; apps: { app: string; role: string }[] }> {
  const keptRole = kept?.role ?? null
  const isThere = keptRole !== null && (await rightsOfRole(ctx, 'project', keptRole)).size > 0
  const role = isThere ? keptRole : await roleByGroups(ctx, namesOf(groups))
  if (formerAccountId !== null && (await rows.canComeBack(ctx.db, ctx.scope, formerAccountId)))
    await insertProvisionedMember(ctx, formerAccountId, role, { memberId, again: true })
  else await begin(ctx, memberId, input, role)
  const apps = kept ? await rows.restoreAppRoles(ctx.db, ctx.scope, memberId, kept.apps) : []
  return { role, apps }
}

function changed(before: UserView | null, after: UserInput, role: string | null): AuditDetails {
  const pairs: [string, unknown, unknown][] = [
    ['userName', before?.userName, after.userName],
    ['externalId', before ? before.externalId : after.externalId, after.externalId],
    ['active', before?.isActive, after.isActive],
    ['email', before?.isProvisioned === false ? undefined : before?.email, after.email],
    ['roleId', before?.role ?? null, role],
    ...attributePairs(before?.attributes, after.attributes),
  ]
  const changes = pairs
    .filter(([, was, is]) => !isDeepEqual(was ?? null, is ?? null))
    .map(([key, was, is]) => ({
      key,
      ...(was == null ? {} : { before: was }),
      ...(is == null ? {} : { after: is }),
    }))
  return changes.length > 0 ? { changes } : {}
}

/**
 * Returns each attribute of a user with its values before and after a change. Parts of the name count as attributes.
 * Returns an empty list without `before`.
 */
function attributePairs(
  before: Record<string, unknown> | null | undefined,
  after: Record<string, unknown>,
): [string, unknown, unknown][] {
  if (!before) return []
  const [was, is] = [flat(before), flat(after)]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].map((key) => [key, was[key], is[key]])
}

/**
 * Flattens attributes. Parts of the name become attributes of their own. Email addresses are reduced to their values,
 * the primary one first.
 */
function flat({ name, emails, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const addresses = Array.isArray(emails)
    ? [...emails]
        .sort((a, b) => Number(b.primary === true) - Number(a.primary === true))
        .map(({ value }) => value)
    : undefined
  return { ...rest, ...(typeof name === 'object' ? name : {}), ...(addresses ? { emails: addresses } : {}) }
}

/** Compares values regardless of the order of keys, which PostgreSQL changes in JSON. */
function isDeepEqual(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([x], [y]) => (x < y ? -1 : 1))
              .map(([key, inner]) => [key, sorted(inner)]),
          )
        : value
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}
