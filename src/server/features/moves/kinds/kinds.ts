import type { MoveKind } from '#shared/contract/moves.ts'
import { carried } from './carried.ts'
import { contents } from './contents.ts'
import { importIntoApp } from './import.ts'
import type { Kind } from './move-kind.ts'
import { several } from './several.ts'
import { unknown } from './unknown.ts'
import { update } from './update.ts'

export const kinds: Record<MoveKind, Kind> = {
  unknown,
  contents,
  carried,
  several,
  update,
  import: importIntoApp,
}
