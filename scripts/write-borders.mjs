// `npm run borders`: writes biome-borders.json from the table in lib/borders.mjs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toBiomeConfiguration } from './lib/borders.mjs'
import { root } from './lib/prepare.mjs'

writeFileSync(join(root, 'biome-borders.json'), `${JSON.stringify(toBiomeConfiguration(), null, 2)}\n`)
