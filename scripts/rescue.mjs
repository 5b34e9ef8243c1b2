// `npm run rescue`: brings a Newt app to safety. Needs Node.js only; no server, no database.
import { runProgram } from './lib/program.mjs'

await runProgram('rescue', process.argv.slice(2))
