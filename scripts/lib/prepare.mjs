import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

const minimum = [20, 19]

/** Ends the process with a one-line message if Node.js is too old. */
export function ensureNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > minimum[0] || (major === minimum[0] && minor >= minimum[1])) return
  stop(`Imori needs Node.js ${minimum.join('.')} or newer; this is ${process.versions.node}`)
}

/**
 * Ends the process when npm has ended, because the shell between npm and this process does not pass signals on. Does
 * nothing outside of npm.
 */
export function endWithParent() {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  watch.unref()
}

/** Installs the dependencies if they are missing or differ from package-lock.json. */
export function ensureInstalled() {
  const noted = join(root, 'node_modules/.imori-lock')
  const lock = readFileSync(join(root, 'package-lock.json'))
  const hash = createHash('sha256').update(lock).digest('hex')
  if (readOr(noted, '') === hash) return
  if (!isInstalled(JSON.parse(lock.toString()))) {
    console.log('Installing dependencies (needed once, about a minute) …')
    // Without --include, npm would omit the build tools if NODE_ENV=production.
    runNpm(['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'])
  }
  writeFileSync(noted, hash)
}

/** Builds the server and the admin if the sources have changed since the last build. */
export function ensureBuilt() {
  const stamp = sourceHash()
  if (readOr(join(root, 'dist/.stamp'), '') === stamp) return
  console.log('Building …')
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) stop('The build failed. The reason is shown above')
}

/** Returns a hash of all files in `src` except tests, and of the most important files that configure the build. */
export function sourceHash() {
  const hash = createHash('sha256')
  const files = ['package-lock.json', 'package.json', 'vite.config.ts', 'scripts/build.mjs']
  for (const file of [...files, ...listFiles('src')]) {
    if (/\.test\.tsx?$/.test(file)) continue
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}

/** Reports a fatal error on standard error and exits with code 1. */
export function stop(line) {
  console.error(line)
  process.exit(1)
}

/** Returns whether npm's own record of node_modules matches package-lock.json. */
function isInstalled(lock) {
  const record = readOr(join(root, 'node_modules/.package-lock.json'), undefined)
  if (!record) return false
  const installed = JSON.parse(record).packages
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true
    if (installed[path]) return installed[path].version === wanted.version
    return wanted.optional === true || wanted.devOptional === true || wanted.peer === true
  })
}

function runNpm(args) {
  const npm = process.env.npm_execpath
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const { status, error } = spawnSync(command, [...first, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (error || status !== 0) stop('The dependencies could not be installed. The reason is shown above')
}

function listFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? listFiles(path) : [path]
    })
}

function readOr(path, otherwise) {
  return existsSync(path) ? readFileSync(path, 'utf8') : otherwise
}
