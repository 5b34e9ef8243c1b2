import type { MoveKind } from '#shared/contract/moves.ts'
import { importIntoApp, updateOfApp } from './into-app.tsx'
import type { KindScreen } from './kind-screen.ts'
import { newApp, severalApps } from './new-app.tsx'

/** The parts of a migration's page by kind. */
export const screens: Record<MoveKind, KindScreen> = {
  unknown: newApp,
  contents: newApp,
  carried: newApp,
  several: severalApps,
  update: updateOfApp,
  import: importIntoApp,
}
