import { inTransaction, type Tx } from '#server/db/scope.ts'
import type { AccountContext, AccountRow, PublicContext } from '#server/http/context.ts'
import { createSession, deleteSession } from '#server/http/sessions.ts'
import { newId } from '#server/lib/ids.ts'
import type { accountEndpoints } from '#shared/contract/accounts.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
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

type Input<Name extends keyof typeof accountEndpoints> = BodyOf<(typeof accountEndpoints)[Name]>

/**
 * Makes an account and signs in. Throws `ValidationFailed`, `InvalidInvitationCode`, `InvalidPassword`,
 * `EmailIsAlreadyInUse`, `TooManyRequests`.
 */
export async function signUp(ctx: PublicContext, input: Input<'signup'>): Promise<AccountRow> {
  // Nobody can be invited yet, so every code is a wrong one: who comes with one expects to get somewhere by it.
  if (input.invitationCode !== undefined) throw new AppError('InvalidInvitationCode')
  const address = readEmail(input.email)
  if ('issue' in address) throw new AppError('ValidationFailed', { issues: [address.issue] })
  const issue = passwordIssue(input.password, address.email)
  if (issue) throw new AppError('InvalidPassword', { issues: [issue] })
  await countAttempt(ctx.db, [[signupLimit(ctx.ip)]])
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
      language: input.language ?? 'ja',
    })
    await startSession(ctx, tx, account.id, address.key)
    const { known } = await loginBrake(tx, address.key, ctx.ip, null)
    await rememberNetwork(tx, known)
    return account
  })
}

/**
 * Signs in. Throws `IncorrectPassword`, after the same work, for an unknown address and for a wrong password;
 * `TooManyRequests` for who guesses.
 */
export async function logIn(ctx: PublicContext, { email, password }: Input<'login'>): Promise<AccountRow> {
  const key = emailKey(email)
  const device = key === null ? null : readDevice(ctx.deps.secrets, key, ctx.deviceCookie)
  const brake = await loginBrake(ctx.db, key ?? email, ctx.ip, device)
  const counted = await countAttempt(ctx.db, brake.ways)
  const found = key === null ? null : await accounts.findCredentials(ctx.db, key)
  const matches = await verifyPassword(found?.passwordHash ?? null, password).catch(
    async (error: unknown) => {
      await uncountAttempt(ctx.db, counted)
      throw error
    },
  )
  if (!found || !matches || key === null) throw new AppError('IncorrectPassword')
  await clearAttempts(ctx.db, counted, brake)
  await inTransaction(ctx.db, (tx) => startSession(ctx, tx, found.account.id, key))
  return found.account
}

/** A session of a new id, in a browser that is known from now on; the one it had before ends. */
async function startSession(ctx: PublicContext, tx: Tx, accountId: string, emailKey: string): Promise<void> {
  if (ctx.session) await deleteSession(tx, ctx.session)
  ctx.setSessionCookie(await createSession(tx, ctx.deps.secrets, accountId))
  ctx.setDeviceCookie(newDevice(ctx.deps.secrets, emailKey))
}

export async function logOut(ctx: AccountContext): Promise<void> {
  await deleteSession(ctx.db, ctx.session)
  ctx.setSessionCookie(null)
}

/** Changes one's own account. Any other id is 404, whether it exists or not. */
export async function updateAccount(
  ctx: AccountContext,
  id: string,
  { data: { name, language, colorScheme } }: Input<'updateAccount'>,
): Promise<AccountRow> {
  if (id !== ctx.account.id) throw new AppError('NotFound')
  return accounts.updateAccount(ctx.db, id, {
    ...(name === undefined ? {} : { name }),
    ...(language ? { language } : {}),
    ...(colorScheme ? { color_scheme: colorScheme } : {}),
  })
}
