import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './prepare.mjs'

const running = new Set()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    for (const child of running) child.kill(signal)
    process.exitCode = 1
    setTimeout(() => process.exit(1), 5_000).unref()
  })

/**
 * Runs a program of node_modules/.bin (or 'node') in the checkout. Resolves with `ok` (the exit code is 0) and the
 * output, which is empty if `show` is set.
 */
export function run(program, args, { show = false, env = {} } = {}) {
  const windows = process.platform === 'win32'
  const command =
    program === 'node'
      ? process.execPath
      : join(root, 'node_modules/.bin', windows ? `${program}.cmd` : program)
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
      env: { ...process.env, ...env },
      shell: windows && program !== 'node',
    })
    running.add(child)
    let output = ''
    const keep = (text) => {
      output += text
    }
    child.stdout?.setEncoding('utf8').on('data', keep)
    child.stderr?.setEncoding('utf8').on('data', keep)
    child.on('error', (error) => keep(`${error.message}\n`))
    child.on('close', (code) => {
      running.delete(child)
      resolve({ ok: code === 0, output })
    })
  })
}

/** The checks that need neither database nor browser: name and command. */
export const checks = [
  ['lint', 'biome', ['check', '--error-on-warnings']],
  ['types of the server', 'tsc', ['-p', 'tsconfig.server.json', '--singleThreaded']],
  ['types of the admin', 'tsc', ['-p', 'tsconfig.admin.json', '--singleThreaded']],
  ['types of the browser tests', 'tsc', ['-p', 'tsconfig.e2e.json', '--singleThreaded']],
  ['unused files, exports and dependencies', 'knip', ['--no-progress']],
  ['words of comments, test titles and commits', 'node', ['scripts/check-prose.mjs']],
]

/**
 * Runs checks in parallel. Prints a line for each, and the output of failed ones. Resolves with the numbers of passed
 * and failed checks.
 */
export async function runChecks(list) {
  const results = await Promise.all(
    list.map(async ([name, program, args]) => {
      const begun = Date.now()
      const { ok, output } = await run(program, args)
      console.log(`${ok ? '✓' : '✗'} ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`)
      if (!ok) console.log(output)
      return ok
    }),
  )
  return { passed: results.filter((ok) => ok).length, failed: results.filter((ok) => !ok).length }
}
