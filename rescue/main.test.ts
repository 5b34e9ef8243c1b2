import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { buildProgram, root } from '#rescue/testing/program.ts'
import { largeSpace } from '#test/newt-stand-in/large-space.ts'
import { type StandIn, startStandIn } from '#test/newt-stand-in/server.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let standIn: StandIn
let program: string
let child: ChildProcess | undefined

beforeAll(async () => {
  folder = await temporaryFolder()
  program = await buildProgram(folder.path)
  standIn = await startStandIn(largeSpace(300, 0), { isStatic: true, largestAnswer: 60_000 })
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await standIn.close()
  await folder.remove()
})

/**
 * Runs the command with `args`. Returns the exit code, the output, and the time in ms between the last output and the
 * exit. If `isRead` is false, the standard output is closed immediately.
 */
async function run(args: string[], isRead = true) {
  const started = spawn(process.execPath, [program, '--lang', 'ja', '--origin', standIn.origin, ...args], {
    cwd: root,
    env: { ...process.env, IMORI_RESCUE_API_TOKEN: standIn.space.tokens.api },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  let printed = ''
  let spokeAt = 0
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      spokeAt = Date.now()
    })
  }
  if (!isRead) started.stdout.destroy()
  const code = await new Promise<number | null>((resolve) => started.on('close', resolve))
  return { code, printed, lingered: Date.now() - spokeAt }
}

it('the rescue command exits within 150 seconds of an error, although a retry is due after 300 seconds', {
  tags: ['full'],
}, async () => {
  const out = join(folder.path, 'spoiled')
  // The first page cannot be written while the prefetched second page waits for its retry.
  await mkdir(join(out, '.rescue/contents/api-article.ndjson'), { recursive: true })
  const isPage = (address: string) => /order=/.test(address) && !/limit=1(?:&|$)/.test(address)
  standIn.options.fault = ({ search }) =>
    isPage(search) && [...standIn.served.keys()].some(isPage)
      ? { kind: 'status', status: 503, retryAfter: '300' }
      : undefined
  const { code, printed, lingered } = await run(['--space', 'demo', '--app', 'blog:article', '--out', out])
  expect(code).toBe(1)
  expect(printed).toContain('エラー: ')
  expect(printed.slice(printed.indexOf('エラー: '))).not.toContain('やり直します')
  expect(lingered).toBeLessThan(150_000)
})

it('the rescue command continues with the next app after one fails, and exits with code 1', async () => {
  delete standIn.options.fault
  const out = join(folder.path, 'apps')
  const args = ['--space', 'demo', '--app', 'nothing:x', '--app', 'blog:article,author', '--out', out]
  const { code, printed } = await run(args)
  expect(code).toBe(1)
  expect(printed).toContain('App「nothing」が見つかりません')
  expect(printed).toContain('指定したモデル（article、author）は、すべて保存しました')
  expect(printed).toContain('指定した App 2 個のうち、1 個の保存が終わりました')
})

it('the rescue command saves the next app and prints no EPIPE error if its standard output is closed', async () => {
  delete standIn.options.fault
  const out = join(folder.path, 'unread')
  const args = ['--space', 'demo', '--app', 'nothing:x', '--app', 'blog:author', '--out', out]
  const { code, printed } = await run(args, false)
  expect(code).toBe(1)
  expect(printed).not.toMatch(/EPIPE/)
  expect(await readdir(join(out, 'newt-demo-blog'))).toContain('manifest.json')
})
