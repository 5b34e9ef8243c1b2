// `npm run import`: uploads an archive to a running server; `npm run verify-move`: compares an import with its archive.
import { runProgram } from './lib/program.mjs'

await runProgram('src/moving', process.argv.slice(2))
