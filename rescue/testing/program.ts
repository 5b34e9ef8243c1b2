import { symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Path of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the command in `source` into a folder, as `npm run` does. Returns the program's path. */
export async function buildProgram(dir: string, source = 'rescue'): Promise<string> {
  const program = join(dir, `${basename(source)}.mjs`)
  await symlink(join(root, 'node_modules'), join(dir, 'node_modules'))
  await build({
    absWorkingDir: root,
    entryPoints: [`${source}/main.ts`],
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
  })
  return program
}
