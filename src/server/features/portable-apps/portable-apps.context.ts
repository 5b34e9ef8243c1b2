import type { JobCaller } from '#server/access/callers/job.ts'
import type { AppContext, OwnTransactions, ServerContext, SpaceContext } from '#server/access/context.ts'
import { enter } from '#server/access/enter.ts'
import type { SpaceScope } from '#server/db/scope.ts'
import type { AppRight } from '#shared/permissions.ts'
import type { PortableSource } from './portable-apps.source.ts'

/** The app that a job works on, and the caller on behalf of which it works. */
export interface InApp extends ServerContext {
  scope: SpaceScope
  caller: JobCaller
  appId: number
  /** The right that the caller must have in the app during the whole job. */
  right: AppRight
  signal?: AbortSignal | undefined
}

export interface Filling extends InApp {
  /** Permanent id of this work: an interrupted run resumes under it, and `new` ids are derived from it. */
  carryId: string
  source: PortableSource
  /** `kept`: documents keep their `_id`s, which another app of the space may have too. `new`: they get new `_id`s. */
  ids: 'kept' | 'new'
  /** `shared`: both apps are in one space and share its files; `brought`: files are imported. */
  assets: 'shared' | 'brought'
  /** Whether the values were written by this installation. Otherwise their texts are sanitised as in a save. */
  trusted: boolean
  progress(done: number, total: number): Promise<void>
  /** Reports the current document, for errors. */
  at(what: string): void
}

/**
 * Runs `work` in a transaction with the app. Throws `NotFound` if the app was deleted, and the errors of {@link enter}.
 */
export function inApp<T>(place: InApp, work: (ctx: AppContext) => Promise<T>): Promise<T> {
  const { scope, appId, caller, right } = place
  return enter(place, caller, { scope, appId }, right, work)
}

/** Returns the context for use cases that open their transactions themselves. */
export const transactionsIn = (place: InApp): OwnTransactions<SpaceContext> => ({
  actor: place.caller.actor,
  services: place.services,
  spaceId: place.scope.spaceId,
  origin: null,
  signal: place.signal,
  inSpace: (work) => inApp(place, work),
})
