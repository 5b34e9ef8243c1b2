// `npm run rescue`: saves a Newt app to an archive. Needs only Node.js, no server and no database.
import { runProgram } from './lib/program.mjs'

await runProgram('rescue', process.argv.slice(2))
