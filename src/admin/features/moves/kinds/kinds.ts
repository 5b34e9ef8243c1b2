import type { MoveKind } from '#shared/contract/moves.ts'
import { importIntoApp, updateOfApp } from './into-app.tsx'
import type { KindScreen } from './kind-screen.ts'
import { newApp, severalApps } from './new-app.tsx'

/**
 * The only place of the migration pages that distinguishes kinds, apart from plan-page.tsx, which selects the plan and
 * is loaded later.
 */
export const screens: Record<MoveKind, KindScreen> = {
  unknown: newApp,
  contents: newApp,
  carried: newApp,
  several: severalApps,
  update: updateOfApp,
  import: importIntoApp,
}
