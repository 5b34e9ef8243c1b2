// `npm run test:full`: the randomised and racing tests at full length, for nightly runs; `npm test` runs them at short
// length. Arguments limit the run to matching files (`npm run test:full -- races`).
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithParent, ensureBuilt, ensureInstalled, ensureNode, root } from './lib/prepare.mjs'
import { run } from './lib/run.mjs'

ensureNode()
ensureInstalled()
endWithParent()
ensureBuilt()

const wanted = process.argv.slice(2)
const files = ['src', 'test']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)))
  .filter((name) => /\.test\.tsx?$/.test(name) && isOfBoth(name))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
if (files.length === 0) {
  console.error('There is no such test with a full length')
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'imori-reports-'))
const report = join(folder, 'vitest.json')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const begun = Date.now()
const { ok } = await run('vitest', ['run', ...reporters, ...files], {
  show: true,
  env: { IMORI_TEST_LENGTH: 'full' },
})
tell()
rmSync(folder, { recursive: true, force: true })
process.exitCode = ok ? 0 : 1

/** Whether the test has a short and a full length. */
function isOfBoth(name) {
  return /full-length\.ts'/.test(readFileSync(join(root, name), 'utf8'))
}

/** The row for docs/performance.md. */
function tell() {
  const { numPassedTests = 0, numFailedTests = 0 } = read()
  const minutes = ((Date.now() - begun) / 60_000).toFixed(1)
  const machine = `${cpus()[0]?.model}, ${availableParallelism()} cores, Node ${process.versions.node}`
  const day = new Date().toISOString().slice(0, 10)
  console.log(
    `| ${day} | ${files.length} files | ${numPassedTests} passed, ${numFailedTests} failed | ${minutes} min | ${machine} |`,
  )
}

function read() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return {}
  }
}
