// `npm run import`: brings an archive to a running server; `npm run verify-move`: compares what moved in with its archive.
import { runProgram } from './lib/program.mjs'

await runProgram('src/moving', process.argv.slice(2))
