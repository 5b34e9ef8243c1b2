import { AppError } from '#shared/errors.ts'
import type { Kind } from './move-kind.ts'

const notFound = async (): Promise<never> => {
  throw new AppError('NotFound')
}

/** Steps of the kinds whose moves do not have a plan of one app. */
export const withoutMovePlan = { plan: notFound, correct: notFound } satisfies Partial<Kind>
