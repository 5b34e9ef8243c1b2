// `npm run bench`: requests per second of the delivery API beside a bare HTTP server (docs/performance.md).
import { ensureInstalled, ensureNode } from './lib/prepare.mjs'
import { run } from './lib/run.mjs'

ensureNode()
ensureInstalled()
const { ok } = await run('node', ['--import', 'tsx', 'bench/delivery.ts'], { show: true })
process.exitCode = ok ? 0 : 1
