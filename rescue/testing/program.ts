import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Path of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the command as `npm run rescue` does, into a folder; returns the program's path. */
export async function buildProgram(dir: string): Promise<string> {
  const program = join(dir, 'rescue.mjs')
  await symlink(join(root, 'node_modules'), join(dir, 'node_modules'))
  await build({
    absWorkingDir: root,
    entryPoints: ['rescue/main.ts'],
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
  })
  return program
}
