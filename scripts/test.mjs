// `npm test`: runs the checks, the build and all tests except those with the tag `full`, which `npm run test:full`
// runs.
import { endWithParent, ensureInstalled, ensureNode } from './lib/prepare.mjs'
import { checks, runChecks } from './lib/run.mjs'
import { measurePatience } from './lib/speed.mjs'
import { runTests } from './lib/tests.mjs'

ensureNode()
ensureInstalled()
endWithParent()
const env = { IMORI_TEST_PATIENCE: `${measurePatience()}` }

// The tests that start Imori need the build, so it runs first. It does not use all cores, so the checks run in parallel
// with it.
const results = await runChecks([['build', 'node', ['scripts/build.mjs']], ...checks])
const load =
  results.failed === 0
    ? await runChecks([['first load of the admin', 'node', ['scripts/first-load.mjs']]])
    : { passed: 0, failed: 0 }
const total = { passed: results.passed + load.passed, failed: results.failed + load.failed }
if (total.failed === 0) await runTests({ checks: total, env })
else {
  console.log(`${total.passed} passed, ${total.failed} failed`)
  process.exitCode = 1
}
