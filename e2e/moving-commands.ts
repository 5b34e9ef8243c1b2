import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs the command `import` or `verify` of `scripts/moving.mjs` in English. Returns its exit code and output. */
export async function runMoving(command: 'import' | 'verify', args: string[]) {
  const child = spawn(process.execPath, ['scripts/moving.mjs', command, ...args, '--lang', 'en'])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
  const [code] = await once(child, 'close')
  return { code: code as number, output }
}
