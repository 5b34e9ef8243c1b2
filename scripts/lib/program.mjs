// Runs a program of ours that needs Node.js only: bundled once, and again when its sources are newer.
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ensureInstalled, ensureNode, root, stop } from './prepare.mjs'

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

/** `folder`: where `main.ts` of the program lies, whose last part is its name; `args` are given to it. */
export async function runProgram(folder, args) {
  const name = basename(folder)
  ensureNode()
  ensureInstalled()
  const program = join(root, `dist/${name}/main.js`)
  const built = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = [folder, 'src/archive', 'src/server/lib', 'src/shared'].map(newest)
  if (built < Math.max(...sources, statSync(join(root, 'package-lock.json')).mtimeMs)) {
    try {
      const { build } = await import('esbuild')
      await build({
        absWorkingDir: root,
        entryPoints: [`${folder}/main.ts`],
        outfile: program,
        bundle: true,
        packages: 'external',
        platform: 'node',
        target: 'node20',
        format: 'esm',
        sourcemap: true,
        logLevel: 'error',
      })
    } catch {
      stop(`${name} could not be built; the reason stands above`)
    }
  }

  // Small young generation: memory stays flat however large the space is.
  const flags = ['--max-semi-space-size=8', '--max-old-space-size=1024', '--enable-source-maps']
  // Offices and security software that read along put their certificates into the system's store.
  if (process.allowedNodeEnvironmentFlags.has('--use-system-ca')) flags.push('--use-system-ca')
  const child = spawn(process.execPath, [...flags, program, ...args], { stdio: 'inherit' })
  // Ctrl-C reaches the child by itself; it stores where it stands and ends, and so do we.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', () => stop('Node.js could not be started'))
  child.on('close', (code, signal) => {
    process.exitCode = signal ? 130 : (code ?? 1)
  })
}
