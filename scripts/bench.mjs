// `npm run bench`: requests per second beside a bare HTTP server; `npm run bench -- queries`: how long single queries take;
// `npm run bench -- rescue`: contents and assets per second of the rescue command; `npm run bench -- jobs`: jobs per second,
// and none lost or doubled by kill -9; `npm run bench -- convert`: how long saves take while their model is converted;
// `npm run bench -- lists`: pages of the admin's lists, of a large model and of a small one;
// `npm run bench -- images`: files and pictures; `npm run bench -- assets`: pages of the media library;
// `npm run bench -- uploads`: memory of ten uploads at once; `npm run bench -- scrolling`: frames of the library's page;
// `npm run bench -- editing`: a document of 100 fields and 300 blocks, opened and typed in (all three built);
// `npm run bench -- people`: lists of 5,000 members and 1,000,000 entries of the audit log, and what rights cost a save;
// `npm run bench -- moves`: an archive that is planned, imported, undone, and imported under kill -9, by the built server;
// `npm run bench -- compare DIR`: this checkout beside another one, both built
// (docs/performance.md), of all cases or those of `--cases 'one,asset'`. The first two, convert, lists and moves take `--documents N`, the first `--cores N`,
// `--seconds N` and `--rounds N` as well.
import { ensureBuilt, ensureInstalled, ensureNode } from './lib/prepare.mjs'
import { run } from './lib/run.mjs'

const benches = {
  delivery: 'bench/delivery.ts',
  compare: 'bench/compare.ts',
  queries: 'bench/queries.ts',
  rescue: 'bench/rescue.bench.ts',
  jobs: 'bench/jobs.bench.ts',
  images: 'bench/images.bench.ts',
  assets: 'bench/assets.bench.ts',
  convert: 'bench/convert.bench.ts',
  lists: 'bench/lists.bench.ts',
  uploads: 'bench/uploads.bench.ts',
  scrolling: 'bench/scrolling.bench.ts',
  editing: 'bench/editing.bench.ts',
  people: 'bench/people.bench.ts',
  moves: 'bench/moves.bench.ts',
}

const given = process.argv.slice(2)
const name = given[0]?.startsWith('-') ? 'delivery' : (given.shift() ?? 'delivery')
if (!Object.hasOwn(benches, name)) {
  console.error(`There is no bench "${name}": ${Object.keys(benches).join(', ')}`)
  process.exit(2)
}
ensureNode()
ensureInstalled()
if (name === 'moves') ensureBuilt()
const { ok } = await run('node', ['--import', 'tsx', benches[name], ...given], { show: true })
process.exitCode = ok ? 0 : 1
