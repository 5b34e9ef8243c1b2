// Runs a program of the project that needs only Node.js. Bundles it first, unless the bundle is newer than its sources.
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

/**
 * Runs the program. `folder`: contains the program's `main.ts` and ends with the program's name; `args`: its arguments.
 */
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
      stop(`${name} could not be built. The reason is shown above`)
    }
  }

  // Limits of V8's heap (young generation 8 MB per semi-space, old generation 1 GB), so that a CMS space with many
  // contents does not need much memory.
  const flags = ['--max-semi-space-size=8', '--max-old-space-size=1024', '--enable-source-maps']
  // Companies and security software that intercept TLS install their certificates in the system's store.
  if (process.allowedNodeEnvironmentFlags.has('--use-system-ca')) flags.push('--use-system-ca')
  const child = spawn(process.execPath, [...flags, program, ...args], { stdio: 'inherit' })
  // The terminal sends Ctrl-C to the child directly. The child stores its progress and ends, and this process ends
  // after it.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', () => stop('Node.js could not be started'))
  child.on('close', (code, signal) => {
    process.exitCode = signal ? 130 : (code ?? 1)
  })
}
