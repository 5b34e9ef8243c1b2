// `npm run test:full`: runs all tests at full length. On Linux on x64 it then runs `npm run test:node` for Node.js 22
// and 24. Arguments limit the run to test files whose path contains one of them (`npm run test:full -- races scim`),
// without other versions of Node.js.
import { availableParallelism, cpus } from 'node:os'
import { endWithParent, ensureBuilt, ensureInstalled, ensureNode } from './lib/prepare.mjs'
import { run } from './lib/run.mjs'
import { measurePatience } from './lib/speed.mjs'
import { findTestFiles, runTests } from './lib/tests.mjs'

ensureNode()
ensureInstalled()
endWithParent()
ensureBuilt()

const words = process.argv.slice(2)
const found = findTestFiles()
const isWanted = (file) => words.length === 0 || words.some((word) => file.includes(word))
const files = { vitest: found.vitest.filter(isWanted), playwright: found.playwright.filter(isWanted) }
const count = files.vitest.length + files.playwright.length
if (count === 0) {
  console.error('No test file has a path that contains one of these words')
  process.exit(2)
}

const env = { IMORI_TEST_PATIENCE: `${measurePatience()}`, IMORI_TEST_LENGTH: 'full' }
const begun = Date.now()
const { passed, failed } = await runTests({ checks: { passed: 0, failed: 0 }, env, files })
const minutes = ((Date.now() - begun) / 60_000).toFixed(1)
const machine = `${cpus()[0]?.model}, ${availableParallelism()} cores, Node ${process.versions.node}`
// This is the row for docs/performance.md.
console.log(
  `| ${new Date().toISOString().slice(0, 10)} | ${count} files | ${passed} passed, ${failed} failed | ${minutes} min | ${machine} |`,
)

if (words.length === 0 && process.platform === 'linux' && process.arch === 'x64') {
  const { ok } = await run('node', ['scripts/test-node.mjs', '22', '24'], { show: true })
  if (!ok) process.exitCode = 1
}
