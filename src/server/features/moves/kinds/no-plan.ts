import { AppError } from '#shared/errors.ts'
import type { Kind } from './move-kind.ts'

const notFound = async (): Promise<never> => {
  throw new AppError('NotFound')
}

/** Steps of kinds that have no plan of an app of their own. */
export const withoutPlan = { plan: notFound, correct: notFound } satisfies Partial<Kind>
