import type { AppContext, OwnTransactions, ServerContext, SpaceContext } from '#server/access/context.ts'
import { enter, type OnBehalfCaller, type SystemCaller } from '#server/access/enter.ts'
import type { SpaceScope } from '#server/db/scope.ts'
import type { AppRight } from '#shared/permissions.ts'
import type { PortableSource } from './portable-apps.source.ts'

/** Where a job does what it does for an app, and in whose name. */
export interface InApp extends ServerContext {
  scope: SpaceScope
  caller: OnBehalfCaller | SystemCaller
  appId: number
  /** What they must hold in the app all the while. */
  right: AppRight
  /** Aborted when the job is to stop. */
  signal?: AbortSignal | undefined
}

/** What an app is filled with, and how. */
export interface Filling extends InApp {
  /** Names this work for ever: a run that was cut off goes on under it, and `new` ids follow from it. */
  carryId: string
  source: PortableSource
  /** `_id`s of documents: as they were, which another app of the space may have too, or new ones. */
  ids: 'kept' | 'new'
  /** `shared`: both apps are of one space and use its files; `brought`: they come along. */
  assets: 'shared' | 'brought'
  /** Values were written by this installation; else their texts are looked at as those of a save. */
  trusted: boolean
  progress(done: number, total: number): Promise<void>
  /** Says which document is being brought. */
  at(what: string): void
}

/** Does `work` in a transaction with the app. Throws `NotFound` when somebody has deleted it, and as {@link enter}. */
export function inApp<T>(place: InApp, work: (ctx: AppContext) => Promise<T>): Promise<T> {
  const { scope, appId, caller, right } = place
  return enter(place, caller, { scope, appId }, right, work)
}

/** The same as a use-case takes it that opens its transactions itself. */
export const transactionsIn = (place: InApp): OwnTransactions<SpaceContext> => ({
  actor: place.caller.actor,
  services: place.services,
  origin: null,
  signal: place.signal,
  inSpace: (work) => inApp(place, work),
})
