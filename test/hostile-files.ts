import { bombs } from './hostile-files/bombs.ts'
import { drawings } from './hostile-files/drawings.ts'
import { lies } from './hostile-files/lies.ts'
import { oddities } from './hostile-files/oddities.ts'

/** Hostile files that a user might upload, with the expected result for each. */
export const hostileFiles = [...lies, ...drawings, ...bombs, ...oddities]
