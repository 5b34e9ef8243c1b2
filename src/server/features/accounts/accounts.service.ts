import type { AccountRow } from '#server/access/account.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AccountContext, PublicContext } from '#server/access/context.ts'
import { createSession, deleteSession, type Session } from '#server/access/sessions.ts'
import type { Secrets } from '#server/config.ts'
import { type Db, inTransaction, type Tx } from '#server/db/scope.ts'
import { receiveOwnPicture, type UploadEnvironment } from '#server/features/assets/own-pictures.service.ts'
import { newId } from '#server/lib/ids.ts'
import type { accountEndpoints } from '#shared/contract/accounts.ts'
import type { BodyOf, FileAnswer, FilePart } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { preferredLanguage } from '#shared/languages.ts'
import * as accounts from './accounts.repository.ts'
import {
  clearAttempts,
  countAttempt,
  loginBrake,
  rememberNetwork,
  signupLimit,
  uncountAttempt,
} from './attempts.ts'
import { emailKey, readEmail } from './email.ts'
import { newDevice, readDevice } from './known-device.ts'
import { hashPassword, passwordIssue, verifyPassword } from './password.ts'

export { emailKey } from './email.ts'

type Input<Name extends keyof typeof accountEndpoints> = BodyOf<(typeof accountEndpoints)[Name]>

/** Where somebody signs in from. */
export interface Caller {
  /** Address of the caller, by which attempts are counted. */
  ip: string
  /** What the browser says of itself to be known again (known-device.ts). */
  deviceCookie: string | undefined
  /** The session that the browser has already; it ends. */
  session: Session | null
  secrets: Secrets
}

/** Somebody signed in: the account, the id of the new session, and what the browser is known by from now on. */
export interface Admission {
  account: AccountRow
  sessionId: string
  device: string
}

/**
 * Makes an account and signs in. Throws `ValidationFailed`, `InvalidInvitationCode`, `InvalidPassword`,
 * `EmailIsAlreadyInUse`, `TooManyRequests`.
 */
export async function signUp(ctx: PublicContext, input: Input<'signup'>, caller: Caller): Promise<Admission> {
  // Nobody can be invited yet, so every code is a wrong one: who comes with one expects to get somewhere by it.
  if (input.invitationCode !== undefined) throw new AppError('InvalidInvitationCode')
  const address = readEmail(input.email)
  if ('issue' in address) throw new AppError('ValidationFailed', { issues: [address.issue] })
  const issue = passwordIssue(input.password, address.email)
  if (issue) throw new AppError('InvalidPassword', { issues: [issue] })
  await countAttempt(ctx.db, [[signupLimit(caller.ip)]])
  // Asked before the dear hashing; the unique index decides in the end.
  if (await accounts.isEmailTaken(ctx.db, address.key))
    throw new AppError('EmailIsAlreadyInUse', { issues: [{ path: 'email', code: 'DuplicatedValue' }] })
  const passwordHash = await hashPassword(input.password)
  return inTransaction(ctx.db, async (tx) => {
    const account = await accounts.insertAccount(tx, {
      id: newId(),
      email: address.email,
      email_key: address.key,
      password_hash: passwordHash,
      name: input.name ?? '',
      language: input.language ?? preferredLanguage(),
    })
    const admission = await startSession(tx, caller, account, address.key)
    const { known } = await loginBrake(tx, address.key, caller.ip, null)
    await rememberNetwork(tx, known)
    return admission
  })
}

/**
 * Signs in. Throws `IncorrectPassword`, after the same work, for an unknown address and for a wrong password;
 * `TooManyRequests` for who guesses.
 */
export async function logIn(
  ctx: PublicContext,
  { email, password }: Input<'login'>,
  caller: Caller,
): Promise<Admission> {
  const key = emailKey(email)
  const device = key === null ? null : readDevice(caller.secrets, key, caller.deviceCookie)
  const brake = await loginBrake(ctx.db, key ?? email, caller.ip, device)
  const counted = await countAttempt(ctx.db, brake.ways)
  const found = key === null ? null : await accounts.findCredentials(ctx.db, key)
  if (found)
    noteAudit(ctx, { objectId: found.account.id, objectName: found.account.name || found.account.email })
  const matches = await verifyPassword(found?.passwordHash ?? null, password).catch(
    async (error: unknown) => {
      await uncountAttempt(ctx.db, counted)
      throw error
    },
  )
  if (!found || !matches || key === null) throw new AppError('IncorrectPassword')
  await clearAttempts(ctx.db, counted, brake)
  return inTransaction(ctx.db, (tx) => startSession(tx, caller, found.account, key))
}

/** A session of a new id, in a browser that is known from now on; the one it had before ends. */
async function startSession(
  tx: Tx,
  { session, secrets }: Caller,
  account: AccountRow,
  emailKey: string,
): Promise<Admission> {
  if (session) await deleteSession(tx, session)
  const sessionId = await createSession(tx, secrets, account.id)
  return { account, sessionId, device: newDevice(secrets, emailKey) }
}

export async function logOut({ db }: AccountContext, session: Session): Promise<void> {
  await deleteSession(db, session)
}

/** Changes one's own account. Any other id is 404, whether it exists or not. */
export async function updateAccount(
  ctx: AccountContext,
  id: string,
  { data: { name, language, colorScheme, icon } }: Input<'updateAccount'>,
): Promise<AccountRow> {
  requireOwn(ctx, id)
  noteAudit(ctx, { before: { name: ctx.actor.name, language: ctx.actor.language } })
  const change = (db: Db) =>
    accounts.updateAccount(db, id, {
      ...(name === undefined ? {} : { name }),
      ...(language ? { language } : {}),
      ...(colorScheme ? { color_scheme: colorScheme } : {}),
    })
  if (icon === undefined) return change(ctx.db)
  return inTransaction(ctx.db, async (tx) => {
    await change(tx)
    return accounts.setIcon(tx, id, null)
  })
}

function requireOwn(ctx: AccountContext, id: string): void {
  if (id !== ctx.actor.accountId) throw new AppError('NotFound')
}

/** One's own picture; the one before is gone. Throws 404 for any other account, and as `receiveOwnPicture`. */
export async function uploadIcon(
  ctx: AccountContext,
  environment: UploadEnvironment,
  accountId: string,
  files: AsyncIterable<FilePart>,
): Promise<AccountRow> {
  requireOwn(ctx, accountId)
  const { id, mediaType, bytes } = await receiveOwnPicture(environment, files, 'icon')
  environment.signal?.throwIfAborted()
  return inTransaction(ctx.db, (tx) => accounts.setIcon(tx, accountId, { id, media_type: mediaType, bytes }))
}

/** The bytes of an account's picture. Its `_id` is told to whoever may see it. Throws 404 for one that it is not any more. */
export async function readIcon(
  { db }: AccountContext,
  accountId: string,
  iconId: string,
): Promise<FileAnswer> {
  const areIds = idPattern.test(accountId) && idPattern.test(iconId)
  const icon = areIds ? await accounts.findIcon(db, accountId, iconId) : null
  if (!icon) throw new AppError('NotFound')
  const { mediaType: type, bytes } = icon
  return { bytes: inOnePiece(bytes), fileName: 'icon', type, size: bytes.length, isLasting: true }
}

async function* inOnePiece(bytes: Buffer) {
  yield bytes
}
