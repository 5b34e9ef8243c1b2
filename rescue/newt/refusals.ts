import { RescueFailure } from '#rescue/failure.ts'
import { ApiRefusal } from './newt-api.ts'

/** True for failures that a smaller page may not have. */
export function isHeavy(error: unknown): boolean {
  if (!(error instanceof RescueFailure)) return false
  if (error.code === 'no_network') return error.details.trouble === 'broken'
  return error.code === 'server_trouble' || error.code === 'strange_answer'
}

/** True for a malformed response, regardless of its size. */
export function isNonsense(error: unknown): boolean {
  return error instanceof RescueFailure && error.code === 'strange_answer'
}

/** A refusal of the query's features, possibly reported as an internal error. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof ApiRefusal) return error.code !== 'ResponseSizeTooLarge'
  if (!(error instanceof RescueFailure)) return false
  if (error.code === 'strange_answer') return String(error.details.reason).startsWith('400')
  return error.code === 'server_trouble' && ['500', '501'].includes(String(error.details.status))
}

/** Resolves with undefined when the server refuses, or fails at, this request only. */
export async function orRefused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ApiRefusal || isHeavy(error)) return undefined
    if (error instanceof RescueFailure && isIsolated(error)) return undefined
    throw error
  }
}

/** True for a failure that concerns one request and not the whole run. */
export function isIsolated(error: RescueFailure): boolean {
  return ['model_not_found', 'not_allowed', 'server_trouble', 'strange_answer'].includes(error.code)
}
