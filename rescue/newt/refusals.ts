import { RescueFailure } from '#rescue/failure.ts'
import { ApiRefusal } from './newt-api.ts'

/** Returns whether a smaller page may avoid the failure. */
export function isHeavy(error: unknown): boolean {
  if (!(error instanceof RescueFailure)) return false
  if (error.code === 'no_network') return error.details.trouble === 'broken'
  return error.code === 'server_trouble' || error.code === 'strange_answer'
}

/** Returns whether the failure is a malformed response, which does not depend on the size. */
export function isNonsense(error: unknown): boolean {
  return error instanceof RescueFailure && error.code === 'strange_answer'
}

/**
 * Returns whether the failure may mean that the server does not support the query's features. Some servers report this
 * as an internal error.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof ApiRefusal) return error.code !== 'ResponseSizeTooLarge'
  if (!(error instanceof RescueFailure)) return false
  if (error.code === 'strange_answer') return String(error.details.reason).startsWith('400')
  return error.code === 'server_trouble' && ['500', '501'].includes(String(error.details.status))
}

/** Resolves to undefined if the server refuses only this request, or fails at it. */
export async function orRefused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ApiRefusal || isHeavy(error)) return undefined
    if (error instanceof RescueFailure && isIsolated(error)) return undefined
    throw error
  }
}

/** Returns whether a failure concerns one request and not the whole run. */
export function isIsolated(error: RescueFailure): boolean {
  return ['model_not_found', 'not_allowed', 'server_trouble', 'strange_answer'].includes(error.code)
}
