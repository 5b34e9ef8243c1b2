import type { SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import type { KeptRoles } from '#server/db/tables.ts'
import { readEmail } from '#server/features/accounts/accounts.service.ts'
import { roleByGroups, rolesOfGroups } from '#server/features/group-roles/group-roles.service.ts'
import { inviteProvisioned, revokeOfProvisioned } from '#server/features/invitations/invitations.service.ts'
import {
  deleteMember,
  forgetAddresses,
  insertProvisionedMember,
  rememberAddresses,
  tokensLeftBy,
} from '#server/features/members/members.service.ts'
import { rightsOfRole } from '#server/features/roles/roles.service.ts'
import { newId } from '#server/lib/ids.ts'
import type { AuditDetails } from '#shared/audit.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { isStorableText } from '#shared/fields/field-type.ts'
import { idPattern } from '#shared/identifiers.ts'
import { preferredLanguage } from '#shared/languages.ts'
import { giveRoleOfGroups } from './directory-roles.ts'
import { findConnection } from './scim-connection.repository.ts'
import { grouped, keyOf, recordAct } from './scim-context.ts'
import { findGroupsOf } from './scim-groups.repository.ts'
import * as rows from './scim-users.repository.ts'

/** Which people come into question; what is left out is not asked for. */
export interface UserSearch {
  id?: string | undefined
  userName?: string | undefined
  externalId?: string | undefined
}

/** What a directory says of somebody. `attributes` are in its words and hold no more than we know what to do with. */
export interface UserInput {
  userName: string
  externalId: string | null
  isActive: boolean
  email: string
  /** To be shown. */
  name: string
  /** In which mails are written, as the directory names it. */
  language: string | undefined
  attributes: Record<string, unknown>
}

/** Somebody with the groups that they are in. */
export type UserView = rows.UserRow & { groups: { id: string; name: string }[] }

/** A page of the people, oldest first, and how many there are; without a page all of them. */
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

/** Throws 404. */
export async function requireUser(ctx: SpaceContext, id: string): Promise<UserView> {
  const [user] = idPattern.test(id) ? (await findUsers(ctx, { id }, null)).users : []
  if (!user) throw new AppError('NotFound')
  return user
}

/** So that nobody changes members, groups or roles before what is read now is written. */
export const lockDirectory = (ctx: SpaceContext) => lockSpace(ctx, 'member.manage')

/**
 * Makes somebody a member who is none. The space is locked. Throws `EmailIsAlreadyInUse` for who is there already,
 * `ValidationFailed`.
 */
export async function createUser(ctx: SpaceContext, given: UserInput): Promise<UserView> {
  const { input, known } = await check(ctx, given, null)
  const id = newId()
  const memberId = newId()
  await rows.insertUser(ctx.db, ctx.scope, { ...known, id, memberId })
  const role = input.isActive ? await roleByGroups(ctx, []) : null
  if (role !== null) await begin(ctx, memberId, input, role)
  await rememberState(ctx, known, input.isActive)
  await recordAct(ctx, 'member.provision', { id: memberId, name: called(input) }, changed(null, input, role))
  return requireUser(ctx, id)
}

/**
 * Takes over what the directory says of somebody, whose membership ends or begins with it. An account that is somebody's
 * stays as it is. The space is locked. Throws `EmailIsAlreadyInUse`, `OtherAdminMembersNotExist`, `ValidationFailed`.
 */
export async function updateUser(ctx: SpaceContext, before: UserView, given: UserInput): Promise<UserView> {
  const { input, known } = await check(ctx, given, before.id)
  const isSame =
    before.isKnown &&
    before.userName === known.userName &&
    before.externalId === known.externalId &&
    before.isActive === input.isActive &&
    isDeepEqual(before.attributes, known.attributes)
  if (isSame) return before
  if (!before.isKnown)
    await rows.insertUser(ctx.db, ctx.scope, { ...known, id: before.id, memberId: before.memberId })
  if (before.isActive && input.isActive) await describeAnew(ctx, before, input)
  const ended = before.isActive && !input.isActive ? await end(ctx, before) : undefined
  const comesBack = !before.isActive && input.isActive
  const returned = comesBack ? await comeBack(ctx, before, input) : null
  await rows.updateUser(ctx.db, ctx.scope, before.id, {
    known,
    ...(ended ? { ended } : comesBack ? { ended: null } : {}),
  })
  await rememberState(ctx, known, input.isActive)
  const act = ended ? 'member.deprovision' : comesBack ? 'member.reprovision' : 'member.update'
  const object = { id: before.memberId, name: called(input, before) }
  const role = returned ? returned.role : ended ? null : before.role
  const left = ended?.accountId ? await tokensLeftBy(ctx, ended.accountId) : {}
  await recordAct(ctx, act, object, { ...changed(before, input, role), ...left })
  for (const { app, role: after } of returned?.apps ?? [])
    await recordAct(ctx, 'member.addToApp', object, { app, changes: [{ key: 'roleId', after }] })
  if (comesBack) await giveRoleOfGroups(ctx, await requireUser(ctx, before.id), [], namesOf(before.groups))
  return requireUser(ctx, before.id)
}

/** What the audit log calls somebody, whose directory need not say a name. */
function called(
  { name, email, userName }: Pick<UserView | UserInput, 'name' | 'email' | 'userName'>,
  before?: Pick<UserView, 'name'>,
): string {
  return name || before?.name || email || userName
}

/** Ends their membership and forgets them. The space is locked. Throws `OtherAdminMembersNotExist`. */
export async function deleteUser(ctx: SpaceContext, user: UserView): Promise<void> {
  if (user.isActive) await deleteMember(ctx, user.memberId)
  await rememberState(ctx, user, false)
  await rows.deleteUser(ctx.db, ctx.scope, user.id)
  const left = user.accountId === null ? {} : await tokensLeftBy(ctx, user.accountId)
  await recordAct(ctx, 'member.deprovision', { id: user.memberId, name: called(user) }, left)
}

/** By any of the addresses of somebody who is inactive, the identity provider of the space makes nobody a member. */
async function rememberState(
  ctx: SpaceContext,
  { userName, attributes }: Pick<rows.UserRow, 'userName' | 'attributes'>,
  isActive: boolean,
): Promise<void> {
  const emails = Array.isArray(attributes?.emails) ? (attributes.emails as { value?: unknown }[]) : []
  const addresses = [userName, ...emails.flatMap(({ value }) => (typeof value === 'string' ? [value] : []))]
  await (isActive ? forgetAddresses : rememberAddresses)(ctx.db, ctx.scope, addresses)
}

/** A member whom the directory has not spoken of is one that it knows from now on, so that they can be in a group. */
export async function makeKnown(ctx: SpaceContext, user: UserView): Promise<void> {
  if (user.isKnown) return
  await rows.insertUser(ctx.db, ctx.scope, {
    id: user.id,
    memberId: user.memberId,
    userName: user.userName,
    userNameKey: keyOf(user.userName),
    externalId: null,
    attributes: {
      ...(user.name ? { displayName: user.name } : {}),
      emails: [{ value: user.email, primary: true }],
    },
  })
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
  if (await rows.isTaken(ctx.db, ctx.scope, { userNameKey, email: address.email, beside }))
    throw new AppError('EmailIsAlreadyInUse', { issues: [{ path: 'userName', code: 'DuplicatedValue' }] })
  return {
    input: { ...input, email: address.email },
    known: { userName, userNameKey, externalId, attributes },
  }
}

/** Nobody knows yet who will come: the member has an account that nobody can sign in to. */
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

/** The name and address of who has not come yet follow the directory; a mail to the former address is good for nothing. */
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

/** Tells somebody who is new by mail, if the connection says so. */
async function invite(ctx: SpaceContext, person: Parameters<typeof inviteProvisioned>[1]): Promise<void> {
  const connection = await findConnection(ctx.db, ctx.scope)
  if (connection?.sends_mail) await inviteProvisioned(ctx, person)
}

const namesOf = (groups: UserView['groups']) => groups.map(({ name }) => name)

/**
 * Their next request finds no space. Whose it was and which roles people gave them is kept for their return; what came with groups is
 * given by those of then.
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
 * With the roles that people gave them, which it answers, or that of their groups. Whose membership the directory itself has ended is a member again at once; who went
 * otherwise is asked as somebody who is new.
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

/** What an entry of the audit log says of the change. */
function changed(before: UserView | null, after: UserInput, role: string | null): AuditDetails {
  const pairs: [string, unknown, unknown][] = [
    ['userName', before?.userName, after.userName],
    ['active', before?.isActive, after.isActive],
    ['email', before?.isProvisioned === false ? undefined : before?.email, after.email],
    ['roleId', before?.role ?? null, role],
  ]
  const changes = pairs
    .filter(([, was, is]) => was !== is)
    .map(([key, was, is]) => ({
      key,
      ...(was == null ? {} : { before: was }),
      ...(is == null ? {} : { after: is }),
    }))
  return changes.length > 0 ? { changes } : {}
}

/** JSON as PostgreSQL gives it back has another order of keys. */
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
