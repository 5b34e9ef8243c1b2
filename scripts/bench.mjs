// `npm run bench`: requests per second of the delivery API beside a bare HTTP server; `npm run bench -- rescue`: contents and
// assets per second of the rescue command; `npm run bench -- jobs`: jobs per second, and none lost or doubled by kill -9
// (docs/performance.md).
import { ensureInstalled, ensureNode } from './lib/prepare.mjs'
import { run } from './lib/run.mjs'

const benches = {
  delivery: 'bench/delivery.ts',
  rescue: 'bench/rescue.bench.ts',
  jobs: 'bench/jobs.bench.ts',
}

const name = process.argv[2] ?? 'delivery'
if (!Object.hasOwn(benches, name)) {
  console.error(`There is no bench "${name}": ${Object.keys(benches).join(', ')}`)
  process.exit(2)
}
ensureNode()
ensureInstalled()
const { ok } = await run('node', ['--import', 'tsx', benches[name]], { show: true })
process.exitCode = ok ? 0 : 1
