// `npm run bench -- NAME` (docs/performance.md):
//
// - without NAME: requests per second compared with a bare HTTP server
// - queries: duration of single queries
// - rescue: contents and assets per second of the rescue command
// - jobs: jobs per second, and jobs lost or run twice after kill -9
// - convert: duration of saves while the documents of their model are converted
// - lists: the admin's lists of a large model and of a small one
// - images: delivery of files and pictures
// - assets: pages of the media library
// - uploads: memory of ten concurrent uploads
// - scrolling: frame times of the library's page (needs the build)
// - editing: opening and typing in a document of 100 fields and 300 blocks (needs the build)
// - people: lists of 5,000 members and 1,000,000 audit log entries, and the share of permission checks and audit log in
//   a save
// - moves: an archive that is planned, imported, undone, and imported under kill -9
// - imports: six files of one account, while another account imports tables of two rows
// - webhooks: events per second to 20 webhooks, and saves while a receiver hangs
// - forms: durable submissions of 8 KB per second
// - compare DIR: this checkout compared with another one, both built; `--cases 'one,asset'` selects cases
//
// bench/options.ts contains the options, such as `--documents N`, `--cores N`, `--seconds N` and `--rounds N`. A
// benchmark ignores the options that do not apply to it.
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
  imports: 'bench/imports.bench.ts',
  webhooks: 'bench/webhooks.bench.ts',
  forms: 'bench/forms.bench.ts',
}

const given = process.argv.slice(2)
const name = given[0]?.startsWith('-') ? 'delivery' : (given.shift() ?? 'delivery')
if (!Object.hasOwn(benches, name)) {
  console.error(`Unknown benchmark "${name}". Choose one of these: ${Object.keys(benches).join(', ')}`)
  process.exit(2)
}
ensureNode()
ensureInstalled()
if (name === 'moves' || name === 'imports') ensureBuilt()
const { ok } = await run('node', ['--import', 'tsx', benches[name], ...given], { show: true })
process.exitCode = ok ? 0 : 1
