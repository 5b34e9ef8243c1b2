import type { Move, MoveKind } from '#shared/contract/moves.ts'

/** An app that a move creates or has created; `_id` is that of the move or part. */
interface AppOfMove {
  _id: string
  uid: string
  name: string
  /** The service that it was exported from. */
  from: NonNullable<Move['source']>['kind'] | undefined
}

interface KindOfApps {
  apps(move: Move): AppOfMove[]
  /** Whether there can be several apps, distinguished by name. */
  isSeveral: boolean
  /** Whether its apps can be updated. */
  canBeUpdated: boolean
}

const oneApp: KindOfApps = {
  apps: ({ _id, app, source }) => (app ? [{ _id, ...app, from: source?.kind }] : []),
  isSeveral: false,
  canBeUpdated: true,
}
const existingApp: KindOfApps = { ...oneApp, canBeUpdated: false }
const several: KindOfApps = {
  apps: ({ apps }) => apps.flatMap(({ chosen, kind, ...app }) => (chosen ? [{ ...app, from: kind }] : [])),
  isSeveral: true,
  canBeUpdated: true,
}

/** What pages other than that of the move need to know about its kind. */
export const appsByKind: Record<MoveKind, KindOfApps> = {
  unknown: oneApp,
  contents: oneApp,
  carried: oneApp,
  several,
  update: existingApp,
  import: existingApp,
}

/** The apps that a move creates or has created. */
export const appsOf = (move: Move): AppOfMove[] => appsByKind[move.kind].apps(move)
