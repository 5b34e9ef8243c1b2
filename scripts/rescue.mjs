// `npm run rescue`: brings a Newt app to safety. Needs Node.js only; no server, no database.
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, ensureNode, root, stop } from './lib/prepare.mjs'

const program = join(root, 'dist/rescue/main.js')

function newest(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  return Math.max(
    0,
    ...entries.map((entry) => {
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? newest(path) : statSync(join(root, path)).mtimeMs
    }),
  )
}

function isBuilt() {
  const built = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = ['src/rescue', 'src/archive', 'src/server/lib', 'src/shared'].map(newest)
  return built >= Math.max(...sources, statSync(join(root, 'package-lock.json')).mtimeMs)
}

async function build() {
  const { build: bundle } = await import('esbuild')
  await bundle({
    absWorkingDir: root,
    entryPoints: ['src/rescue/main.ts'],
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'error',
  })
}

ensureNode()
ensureInstalled()
if (!isBuilt()) {
  try {
    await build()
  } catch {
    stop('rescue could not be built; the reason stands above')
  }
}

// Small young generation: memory stays flat however large the space is.
const flags = ['--max-semi-space-size=8', '--max-old-space-size=1024', '--enable-source-maps']
// Offices and security software that read along put their certificates into the system's store.
if (process.allowedNodeEnvironmentFlags.has('--use-system-ca')) flags.push('--use-system-ca')
const child = spawn(process.execPath, [...flags, program, ...process.argv.slice(2)], { stdio: 'inherit' })
// Ctrl-C reaches the child by itself; it stores where it stands and ends, and so do we.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', () => stop('Node.js could not be started'))
child.on('close', (code, signal) => {
  process.exitCode = signal ? 130 : (code ?? 1)
})
