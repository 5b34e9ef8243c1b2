import type { Db } from '#server/db/scope.ts'

/** Has the account a second factor set up? There is no way to set one up yet, so none has. */
export async function accountHasSecondFactor(_db: Db, _accountId: string): Promise<boolean> {
  return false
}
