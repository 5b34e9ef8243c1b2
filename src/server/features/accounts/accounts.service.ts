import { inTransaction, type Tx } from '#server/db/scope.ts'
import type { AccountContext, AccountRow, PublicContext } from '#server/http/context.ts'
import { createSession, deleteSession } from '#server/http/sessions.ts'
import { newId } from '#server/lib/ids.ts'
import type { accountEndpoints } from '#shared/contract/accounts.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import { AppError, invalid } from '#shared/errors.ts'
import * as accounts from './accounts.repository.ts'
import { clearAttempts, countAttempt, loginLimits, signupLimit, uncountAttempt } from './attempts.ts'
import { readEmail } from './email.ts'
import { hashPassword, passwordIssue, verifyPassword } from './password.ts'

type Input<Name extends keyof typeof accountEndpoints> = BodyOf<(typeof accountEndpoints)[Name]>

/** Makes an account and signs in. Throws `InvalidPassword`, `EmailIsAlreadyInUse`, `TooManyRequests`. */
export async function signUp(ctx: PublicContext, input: Input<'signup'>): Promise<AccountRow> {
  const address = readEmail(input.email)
  if (!address) throw invalid('email', 'InvalidFormat')
  const issue = passwordIssue(input.password, address.email)
  if (issue) throw new AppError('InvalidPassword', { issues: [issue] })
  await countAttempt(ctx.db, [signupLimit(ctx.ip)])
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
    await startSession(ctx, tx, account.id)
    return account
  })
}

/**
 * Signs in. Throws `IncorrectPassword`, after the same work, for an unknown address and for a wrong password;
 * `TooManyRequests` for who guesses.
 */
export async function logIn(ctx: PublicContext, { email, password }: Input<'login'>): Promise<AccountRow> {
  const key = readEmail(email)?.key ?? null
  const limits = await loginLimits(ctx.db, key ?? email, ctx.ip)
  const all = [limits.pair, ...limits.shared]
  await countAttempt(ctx.db, all)
  const found = key === null ? null : await accounts.findCredentials(ctx.db, key)
  const matches = await verifyPassword(found?.passwordHash ?? null, password).catch(
    async (error: unknown) => {
      await uncountAttempt(ctx.db, all)
      throw error
    },
  )
  if (!found || !matches) throw new AppError('IncorrectPassword')
  await clearAttempts(ctx.db, limits)
  await inTransaction(ctx.db, (tx) => startSession(ctx, tx, found.account.id))
  return found.account
}

/** A session of a new id; the one this browser had before ends. */
async function startSession(ctx: PublicContext, tx: Tx, accountId: string): Promise<void> {
  if (ctx.session) await deleteSession(tx, ctx.session)
  ctx.setSessionCookie(await createSession(tx, ctx.deps.secrets, accountId))
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
