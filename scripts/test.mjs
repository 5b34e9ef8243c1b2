import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { ensureChromium } from './lib/chromium.mjs'
import { endWithParent, ensureInstalled, ensureNode, root } from './lib/prepare.mjs'
import { checks, run, runChecks } from './lib/run.mjs'

ensureNode()
ensureInstalled()
endWithParent()
const reports = mkdtempSync(join(tmpdir(), 'imori-reports-'))
const total = { passed: 0, failed: 0 }
/** Milliseconds by test file. */
const times = new Map()
/** Each failure in two lines or fewer: where it is, and the first line of its message. */
const failures = []
const add = ({ passed, failed }) => {
  total.passed += passed
  total.failed += failed
}

// The tests that start Imori need the build, so it comes first; it leaves capacity for the checks in parallel.
add(await runChecks([['build', 'node', ['scripts/build.mjs']], ...checks]))
if (process.exitCode !== 1)
  add(await runChecks([['first load of the admin', 'node', ['scripts/first-load.mjs']]]))
if (process.exitCode !== 1) add(await vitest())
if (process.exitCode !== 1) add(await playwright())

rmSync(reports, { recursive: true, force: true })
if (total.failed || total.passed === 0) process.exitCode = 1
tellSlowest()
// Repeated at the end, because output is often kept from its end only.
for (const failure of failures) console.log(`✗ ${failure}`)
console.log(`${total.passed} passed, ${total.failed} failed`)

async function vitest() {
  const report = join(reports, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { ok } = await run('vitest', ['run', ...reporters], { show: true })
  const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = read(report)
  for (const { name, startTime, endTime, status, message, assertionResults } of testResults) {
    const file = relative(root, name)
    times.set(file, endTime - startTime)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    for (const test of failed) tell(`${file} › ${test.fullName}`, test.failureMessages[0])
    if (status === 'failed' && failed.length === 0) tell(file, message)
  }
  // A test file that fails to load, or an error outside of tests, fails the run without a failed test.
  return { passed: numPassedTests, failed: ok ? 0 : Math.max(1, numFailedTests) }
}

async function playwright() {
  const folder = join(root, 'e2e')
  if (!existsSync(folder) || !readdirSync(folder).some((name) => name.endsWith('.spec.ts'))) {
    console.log('There are no browser tests yet')
    return { passed: 0, failed: 0 }
  }
  if (!ensureChromium()) {
    console.log('✗ browser tests: install Chromium, or set CHROMIUM_PATH to one')
    return { passed: 0, failed: 1 }
  }
  const report = join(reports, 'playwright.json')
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: report }
  const { ok } = await run('playwright', ['test', '--reporter=list,json'], { show: true, env })
  const { stats, suites = [] } = read(report)
  const { expected = 0, flaky = 0, unexpected = 0 } = stats ?? {}
  for (const suite of suites) {
    times.set(`e2e/${suite.file}`, durationOf(suite))
    for (const { title, tests } of specsOf(suite).filter(({ ok: passed }) => !passed))
      tell(`e2e/${suite.file} › ${title}`, tests.flatMap(({ results }) => results).at(-1)?.error?.message)
  }
  return { passed: expected + flaky, failed: ok ? 0 : Math.max(1, unexpected) }
}

function tell(where, message = '') {
  failures.push(`${where}\n    ${stripVTControlCharacters(message).split('\n', 1)[0].slice(0, 300)}`)
}

/** All tests of a suite of Playwright's report, those of its inner suites too. */
function specsOf({ suites = [], specs = [] }) {
  return [...specs, ...suites.flatMap(specsOf)]
}

/** Total milliseconds of all tests of a suite of Playwright's report. */
function durationOf(suite) {
  const results = specsOf(suite).flatMap(({ tests }) => tests.flatMap((test) => test.results))
  return results.reduce((total, { duration }) => total + duration, 0)
}

/** Prints the slowest test files, so that growth is noticed. */
function tellSlowest() {
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, 10)
  for (const [name, time] of slowest) console.log(`${(time / 1000).toFixed(1).padStart(6)} s  ${name}`)
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
