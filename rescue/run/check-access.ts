import { RescueFailure } from '#rescue/failure.ts'
import type { NewtApi } from '#rescue/newt/newt-api.ts'
import { countContents } from '#rescue/newt/pages.ts'
import { isIsolated } from '#rescue/newt/refusals.ts'
import { inParallel } from './in-parallel.ts'
import type { RescueOptions } from './options.ts'

/**
 * Checks the tokens and the app's uid, and for a new run (`fresh`) the models' uids. Returns the app's metadata, or
 * undefined if the server returns the app's lists but not its metadata. Throws failures that the user can fix: a
 * mistyped uid or token, no network.
 */
export async function checkAccess(
  api: NewtApi,
  options: RescueOptions,
  fresh: boolean,
): Promise<string | undefined> {
  const { models, tokens } = options
  const meta = api.app('api').catch(async (error: unknown) => {
    const isPassable = error instanceof RescueFailure && (isIsolated(error) || error.code === 'app_not_found')
    if (!isPassable || !(await answersLists(api, models))) throw error
    return undefined
  })
  const published = tokens.cdn
    ? api.app('cdn').catch((error: unknown) => {
        // Drafts are worth saving even if the published contents cannot be read.
        if (!(error instanceof RescueFailure) || error.code === 'token_refused') throw error
      })
    : undefined
  const [body] = await Promise.all([meta, published])
  if (fresh) {
    await inParallel(models, (model) =>
      countContents(api, 'api', model).catch((error: unknown) => {
        if (!(error instanceof RescueFailure) || error.code === 'model_not_found') throw error
      }),
    )
  }
  return body && String(body)
}

async function answersLists(api: NewtApi, models: readonly string[]): Promise<boolean> {
  for (const model of models.slice(0, 3)) {
    const answered = await countContents(api, 'api', model).then(
      () => true,
      () => false,
    )
    if (answered) return true
  }
  return false
}
