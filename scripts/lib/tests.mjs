import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { ensureChromium } from './chromium.mjs'
import { root } from './prepare.mjs'
import { run } from './run.mjs'

/**
 * A failed test. `file` is relative to the root, and undefined for an error outside of test files. `text` contains the
 * name of the test and the first lines of its error.
 * @typedef {{ file?: string, text: string }} Failure
 *
 * `passed`: number of passed tests. `times`: time in ms by test file. `attachments`: paths of screenshots and traces of
 * failed journeys.
 * @typedef {{ passed: number, failures: Failure[], times: Map<string, number>, attachments: string[] }} Result
 */

/**
 * Maximum number of failed files that run again. If more fail, none runs again, because they are probably not flaky.
 */
const maxFlakyFiles = 5

const isFull = (env) => env.IMORI_TEST_LENGTH === 'full'

/** Returns the paths of all test files of Vitest and of Playwright, relative to the root and sorted. */
export function findTestFiles() {
  const files = ['src', 'test', 'rescue', 'scripts', 'e2e']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .sort()
  return {
    vitest: files.filter((name) => /\.test\.tsx?$/.test(name)),
    playwright: files.filter((name) => /^e2e\/[^/]+\.spec\.ts$/.test(name)),
  }
}

/**
 * Runs test files of Vitest: the given ones, or all of the tier. `env` selects the tier (`IMORI_TEST_LENGTH`).
 * @returns {Promise<Result>}
 */
async function runVitest(env, files = [], options = []) {
  return withReport('vitest.json', async (report, read) => {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const tier = isFull(env) ? [] : ['--tags-filter=!full']
    const errors = `${report}.errors`
    const { ok } = await run('vitest', ['run', ...reporters, ...tier, ...options, ...files], {
      show: true,
      env: { ...env, IMORI_TEST_ERRORS: errors },
    })
    const { numPassedTests = 0, testResults = [] } = read()
    const failures = []
    const times = new Map()
    for (const { name, startTime, endTime, status, message, assertionResults } of testResults) {
      const file = relative(root, name)
      times.set(file, endTime - startTime)
      const failed = assertionResults.filter((test) => test.status === 'failed')
      for (const test of failed) failures.push(failureOf(file, test.fullName, test.failureMessages[0]))
      // A file that does not load fails without a failed test.
      if (status === 'failed' && failed.length === 0) failures.push(failureOf(file, '', message))
    }
    if (existsSync(errors))
      for (const line of readFileSync(errors, 'utf8').trim().split('\n'))
        failures.push(failureOf(undefined, 'Vitest: an error outside of tests', JSON.parse(line)))
    if (!ok && failures.length === 0)
      failures.push(failureOf(undefined, 'Vitest', 'it failed without naming a test'))
    return { passed: numPassedTests, failures, times, attachments: [] }
  })
}

/**
 * Runs journeys: the given files, or all of the tier.
 * @returns {Promise<Result>}
 */
async function runPlaywright(env, files = [], options = []) {
  if (!ensureChromium()) {
    const failures = [failureOf(undefined, 'browser tests', 'install Chromium, or set CHROMIUM_PATH to one')]
    return { passed: 0, failures, times: new Map(), attachments: [] }
  }
  return withReport('playwright.json', async (report, read) => {
    const tier = isFull(env) ? [] : ['--grep-invert=@full']
    const patterns = files.map((file) => `${file.replaceAll('.', '\\.')}$`)
    const { ok } = await run(
      'playwright',
      ['test', '--reporter=list,json', ...tier, ...options, ...patterns],
      {
        show: true,
        env: { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
      },
    )
    const { stats = {}, suites = [], errors = [] } = read()
    const failures = errors.map(({ message }) => failureOf(undefined, 'Playwright', message))
    const times = new Map()
    const attachments = []
    for (const suite of suites) {
      const file = `e2e/${suite.file}`
      const specs = specsOf(suite)
      const results = specs.flatMap(({ tests }) => tests.flatMap((test) => test.results))
      times.set(
        file,
        results.reduce((total, { duration }) => total + duration, 0),
      )
      for (const spec of specs.filter(({ ok: passed }) => !passed)) {
        const last = spec.tests.flatMap((test) => test.results).at(-1)
        failures.push(failureOf(file, spec.title, last?.error?.message))
        attachments.push(...(last?.attachments ?? []).flatMap(({ path }) => path ?? []))
      }
    }
    if (!ok && failures.length === 0)
      failures.push(failureOf(undefined, 'Playwright', 'an error outside of tests'))
    return { passed: stats.expected ?? 0, failures, times, attachments }
  })
}

/**
 * Runs each failed file once more, alone, unless more than `maxFlakyFiles` failed. Tests of files that pass now count
 * as passed, and the result lists these files as `flaky`, each with its first failure.
 *
 * @param {Result} result
 * @param {(file: string) => Promise<Result>} runAlone
 * @returns {Promise<Result & { flaky: Failure[] }>}
 */
export async function repeatFailed(result, runAlone) {
  const files = [...new Set(result.failures.flatMap(({ file }) => file ?? []))]
  const flaky = []
  if (files.length > maxFlakyFiles) {
    console.log(`${files.length} test files failed, more than ${maxFlakyFiles}, so none of them is run again`)
    return { ...result, flaky }
  }
  let { passed, failures } = result
  const attachments = [...result.attachments]
  for (const file of files) {
    console.log(`\nRunning ${file} again, alone`)
    const again = await runAlone(file)
    attachments.push(...again.attachments)
    if (again.failures.length > 0 || again.passed === 0) continue
    const [first, ...others] = failures.filter((failure) => failure.file === file)
    flaky.push(first)
    passed += 1 + others.length
    failures = failures.filter((failure) => failure.file !== file)
  }
  return { ...result, passed, failures, attachments, flaky }
}

/**
 * Runs the given tests and repeats failed files. Prints the slowest files, flaky files, failures and, last, the numbers
 * of passed and failed tests. Sets the exit code.
 *
 * @param {{
 *   checks: { passed: number, failed: number },
 *   env: Record<string, string>,
 *   files?: { vitest: string[], playwright: string[] },
 * }} plan `files`: the files to run. Without it, all files of the tier that `env` selects.
 */
export async function runTests({ checks, env, files }) {
  const results = []
  if (!files || files.vitest.length > 0) results.push(await runVitest(env, files?.vitest))
  if (!files || files.playwright.length > 0) results.push(await runPlaywright(env, files?.playwright))
  const all = await repeatFailed(
    {
      passed: checks.passed + results.reduce((sum, { passed }) => sum + passed, 0),
      failures: results.flatMap(({ failures }) => failures),
      times: new Map(results.flatMap(({ times }) => [...times])),
      attachments: results.flatMap(({ attachments }) => attachments),
    },
    (file) =>
      file.endsWith('.spec.ts')
        ? // Playwright empties its folder at the start, so each run has its own.
          runPlaywright(
            { ...env, E2E_TRACE: '1' },
            [file],
            ['--workers=1', `--output=test-results-again/${basename(file)}`],
          )
        : runVitest(env, [file], ['--maxWorkers=1']),
  )
  printSlowest(all.times)
  for (const { text } of all.flaky) console.log(`flaky: ${text}`)
  for (const { text } of all.failures) console.log(`✗ ${text}`)
  for (const path of all.attachments) console.log(`  ${relative(root, path)}`)
  const failed = checks.failed + all.failures.length
  if (failed > 0 || all.passed === 0) process.exitCode = 1
  console.log(`${all.passed} passed, ${failed} failed`)
  return { passed: all.passed, failed }
}

/** Prints the ten slowest test files, so that increases are noticed. */
function printSlowest(times) {
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, 10)
  for (const [name, time] of slowest) console.log(`${(time / 1000).toFixed(1).padStart(6)} s  ${name}`)
}

async function withReport(name, work) {
  const folder = mkdtempSync(join(tmpdir(), 'imori-reports-'))
  const path = join(folder, name)
  try {
    return await work(path, () => {
      try {
        return JSON.parse(readFileSync(path, 'utf8'))
      } catch {
        return {}
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function failureOf(file, title, message = '') {
  const where = [file, title].filter(Boolean).join(' › ')
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim())
    .slice(0, 4)
  return { file, text: [where, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join('\n') }
}

/** Returns all tests of a suite in Playwright's report, including those in inner suites. */
function specsOf({ suites = [], specs = [] }) {
  return [...specs, ...suites.flatMap(specsOf)]
}
