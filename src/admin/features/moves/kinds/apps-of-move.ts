import type { Move, MoveKind } from '#shared/contract/moves.ts'

/**
 * An app that a migration creates, has created, or imports into. `_id`: the id of the migration, or of its part if
 * there are several apps.
 */
interface AppOfMove {
  _id: string
  uid: string
  name: string
  /** The kind of source that the app comes from. */
  from: NonNullable<Move['source']>['kind'] | undefined
}

interface KindOfApps {
  apps(move: Move): AppOfMove[]
  /** Whether the migration can create several apps, which are distinguished by name. */
  isSeveral: boolean
  /** Whether updates of its apps can be started from this migration. */
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

/** For each kind of migration: how to get its apps, and facts about them. */
export const appsByKind: Record<MoveKind, KindOfApps> = {
  unknown: oneApp,
  contents: oneApp,
  carried: oneApp,
  several,
  update: existingApp,
  import: existingApp,
}

/** Returns the apps that a migration creates, has created, or imports into. */
export const appsOf = (move: Move): AppOfMove[] => appsByKind[move.kind].apps(move)
