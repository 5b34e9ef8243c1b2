import type { AppContext } from '#server/access/context.ts'
import { intoAppNamed } from '#server/access/membership.ts'
import { AppError, invalid } from '#shared/errors.ts'

/**
 * Opens another app of this space. The caller's role there must include `document.read` and have no exceptions for
 * single models. Throws 403 for other callers, and 400 for `fromAppId` if the caller cannot see the app.
 */
export async function openOtherApp(ctx: AppContext, uid: string): Promise<AppContext> {
  const other = await intoAppNamed(ctx, uid, 'document.read', 'fromAppId')
  if (other.grants.models.size > 0) throw new AppError('Forbidden')
  return other
}

/** Returns a handler for `.catch()` that converts 404 into a 400 with the path in the request body. */
export function whenNotFound(path: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof AppError && error.code === 'NotFound' ? invalid(path, 'InvalidValue') : error
  }
}
