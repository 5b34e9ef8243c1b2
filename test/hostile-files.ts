import { bombs } from './hostile-files/bombs.ts'
import { drawings } from './hostile-files/drawings.ts'
import { lies } from './hostile-files/lies.ts'
import { oddities } from './hostile-files/oddities.ts'

/** Files that somebody might send us, and what becomes of each. */
export const hostileFiles = [...lies, ...drawings, ...bombs, ...oddities]
