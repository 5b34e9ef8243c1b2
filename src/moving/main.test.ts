import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { buildProgram, root } from '#rescue/testing/program.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let program: string
let path: string

beforeAll(async () => {
  folder = await temporaryFolder()
  program = await buildProgram(folder.path, 'src/moving')
  path = join(folder.path, 'export.zip')
  await writeFile(path, 'not a zip')
})
afterAll(() => folder.remove())

/** Runs the command. `isRead` false: its output is closed immediately. */
async function run(args: string[], isRead = true) {
  const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  if (!isRead) child.stdout.destroy()
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, ...printed }
}

const compare = (lang: string) => {
  // The command reads the archive before it calls the server.
  const place = ['--server', 'http://127.0.0.1:1', '--space', 'demo', '--token', 'x']
  return ['verify', path, ...place, '--lang', lang]
}

describe('npm run verify-move', () => {
  it.each([
    ['ja', 'をZIPとして開けません。アーカイブのファイルか、途中で切れていないか、確かめてください。'],
    ['en', 'cannot be opened as a ZIP. Check that it is an archive and that it is complete.'],
  ])(
    'prints one sentence and exits with code 1 for a file that is not a ZIP (%s)',
    async (lang, sentence) => {
      const { code, stdout, stderr } = await run(compare(lang))
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: `${path} ${sentence}\n`, stderr: '' })
    },
  )

  it('keeps its exit code and prints no stack trace if its output is closed', async () => {
    expect(await run(compare('ja'), false)).toMatchObject({ code: 1, stderr: '' })
    expect(await run(['--help'], false)).toMatchObject({ code: 0, stderr: '' })
  })
})
